import { useCallback, useEffect, useState } from 'preact/hooks'
import { ask, type Refusal } from './request.js'
import { credentials, useSession } from './session.js'

export type Loaded<Answer> =
  | { readonly state: 'loading' }
  /** Nobody is signed in, so it was not asked for. */
  | { readonly state: 'closed' }
  | { readonly state: 'refused'; readonly refusal: Refusal }
  | { readonly state: 'ready'; readonly answer: Answer }

interface RequestState<Answer> {
  readonly loaded: Loaded<Answer>
  /** Asks again; what was there is shown meanwhile. */
  readonly reload: () => void
}

/** The answer to a GET, asked when the page is shown and when another account signs in. */
export function useGet<Answer>(path: string, isOpen = false): RequestState<Answer> {
  const load = useCallback(() => ask<Answer>('GET', path), [path])
  return useLoaded(load, isOpen)
}

/** What `load` gives; it must be the same function while the question is the same. */
export function useLoaded<Answer>(load: () => Promise<Answer>, isOpen = false): RequestState<Answer> {
  const known = useSession()
  const token = known?.token
  const mayAsk = isOpen || credentials(known) !== null
  const [loaded, setLoaded] = useState<Loaded<Answer>>({ state: 'loading' })
  const [round, setRound] = useState(0)
  // Another account and another round ask again.
  useEffect(() => {
    let isCurrent = true
    if (!mayAsk) {
      setLoaded({ state: 'closed' })
      return
    }
    load().then(
      (answer) => isCurrent && setLoaded({ state: 'ready', answer }),
      (refusal: Refusal) => isCurrent && setLoaded({ state: 'refused', refusal }),
    )
    return () => {
      isCurrent = false
    }
  }, [load, mayAsk, token, round])
  return { loaded, reload: () => setRound((now) => now + 1) }
}
