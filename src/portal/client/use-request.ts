import { useCallback, useEffect, useState } from 'preact/hooks'
import { type RequestError, sendRequest } from './request.js'
import { credentials, useSession } from './session.js'

export type Loaded<Answer> =
  | { readonly state: 'loading' }
  /** Nobody is signed in, so nothing was requested. */
  | { readonly state: 'signed_out' }
  | { readonly state: 'failed'; readonly error: RequestError }
  | { readonly state: 'ready'; readonly answer: Answer }

export interface RequestState<Answer> {
  readonly loaded: Loaded<Answer>
  /** Sends the request again; the earlier response stays visible until the new one arrives. */
  readonly reload: () => void
}

/** The response to a GET, requested when the page is shown and when another account signs in. */
export function useGet<Answer>(path: string, isOpen = false): RequestState<Answer> {
  const load = useCallback(() => sendRequest<Answer>('GET', path), [path])
  return useLoaded(load, isOpen)
}

/** The result of `load`, which must stay the same function while the request is the same. */
export function useLoaded<Answer>(load: () => Promise<Answer>, isOpen = false): RequestState<Answer> {
  const known = useSession()
  const token = known?.token
  const isAllowed = isOpen || credentials(known) !== null
  const [loaded, setLoaded] = useState<Loaded<Answer>>({ state: 'loading' })
  const [round, setRound] = useState(0)
  // A changed `token` or `round` loads again.
  useEffect(() => {
    let isCurrent = true
    if (!isAllowed) {
      setLoaded({ state: 'signed_out' })
      return
    }
    load().then(
      (answer) => isCurrent && setLoaded({ state: 'ready', answer }),
      (error: RequestError) => isCurrent && setLoaded({ state: 'failed', error }),
    )
    return () => {
      isCurrent = false
    }
  }, [load, isAllowed, token, round])
  const reload = useCallback(() => setRound((now) => now + 1), [])
  return { loaded, reload }
}
