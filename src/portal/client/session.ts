import { useEffect, useState } from 'preact/hooks'
import { config } from '../config.js'

/** The session storage belongs to one tab: closing the tab signs out. */
const STORED = 'mdg:session'
const CHANGED = 'mdg:session-changed'

/** An account that is signed in. */
export interface Session {
  readonly token: string
  readonly email: string
  readonly tier: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export function session(): Session | null {
  const stored = sessionStorage.getItem(STORED)
  if (stored === null) return null
  const known = JSON.parse(stored) as Session
  return known.expiresAt > Date.now() ? known : null
}

/** Null signs out. */
export function setSession(next: Session | null): void {
  if (next === null) sessionStorage.removeItem(STORED)
  else sessionStorage.setItem(STORED, JSON.stringify(next))
  dispatchEvent(new Event(CHANGED))
}

export function useSession(): Session | null {
  const [known, setKnown] = useState(session)
  useEffect(() => followSession(() => setKnown(session())), [])
  return known
}

/** Calls `follow` when somebody signs in or out, until the returned function is called. */
export function followSession(follow: () => void): () => void {
  addEventListener(CHANGED, follow)
  return () => removeEventListener(CHANGED, follow)
}

/** The header that authenticates a request: the account's token, else the key of the pages; null without either. */
export function credentials(known: Session | null): Readonly<Record<string, string>> | null {
  if (known !== null) return { authorization: `Bearer ${known.token}` }
  return config.pageKey === null ? null : { 'x-api-key': config.pageKey }
}
