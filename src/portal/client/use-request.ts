import { useCallback, useEffect, type useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { type RequestError, sendRequest } from './request.js'
import { credentials, useSession } from './session.js'

export type Loaded<Answer> =
  /** `earlier` is the answer to another question: the one before. */
  | { readonly state: 'loading'; readonly earlier: Answer | undefined }
  /** Nobody is signed in, so nothing was requested. */
  | { readonly state: 'signed_out' }
  /** `earlier` is the last answer to the same question, if there was one. */
  | { readonly state: 'failed'; readonly error: RequestError; readonly earlier: Answer | undefined }
  | { readonly state: 'ready'; readonly answer: Answer }

export interface RequestState<Answer> {
  readonly loaded: Loaded<Answer>
  /** Sends the request again; the earlier response stays visible until the new one arrives, also if the request fails. */
  readonly reload: () => void
}

/** The response to a GET, requested when the page is shown and when another account signs in. */
export function useGet<Answer>(path: string, isOpen = false, useSending?: Sending): RequestState<Answer> {
  const load = useCallback(() => sendRequest<Answer>('GET', path), [path])
  return useLoaded(load, isOpen, useSending)
}

/** `useLayoutEffect` sends a request before the others of the page. */
type Sending = typeof useEffect | typeof useLayoutEffect

/** The result of `load`, which must stay the same function while the request is the same. */
export function useLoaded<Answer>(
  load: () => Promise<Answer>,
  isOpen = false,
  useSending: Sending = useEffect,
): RequestState<Answer> {
  const known = useSession()
  const token = known?.token
  const isAllowed = isOpen || credentials(known) !== null
  /** What is asked, and by whom. */
  const question = useMemo(() => ({ load, token }), [load, token])
  const [result, setResult] = useState<Result<Answer> | null>(null)
  const [round, setRound] = useState(0)
  // A changed `round` loads again.
  useSending(() => {
    let isCurrent = true
    if (!isAllowed) return
    question.load().then(
      (answer) => isCurrent && setResult({ question, loaded: { state: 'ready', answer } }),
      (error: RequestError) => isCurrent && setResult((before) => withFailure(before, question, error)),
    )
    return () => {
      isCurrent = false
    }
  }, [question, isAllowed, round])
  const reload = useCallback(() => setRound((now) => now + 1), [])
  return { loaded: isAllowed ? toLoaded(result, question) : { state: 'signed_out' }, reload }
}

interface Result<Answer> {
  readonly question: object
  readonly loaded: Extract<Loaded<Answer>, { readonly state: 'ready' | 'failed' }>
}

function withFailure<Answer>(
  before: Result<Answer> | null,
  question: object,
  error: RequestError,
): Result<Answer> {
  const earlier = before?.question === question ? lastAnswer(before) : undefined
  return { question, loaded: { state: 'failed', error, earlier } }
}

function lastAnswer<Answer>(result: Result<Answer> | null): Answer | undefined {
  return result?.loaded.state === 'ready' ? result.loaded.answer : result?.loaded.earlier
}

/** An answer to another question is never shown as the answer to this one. */
function toLoaded<Answer>(result: Result<Answer> | null, question: object): Loaded<Answer> {
  if (result?.question === question) return result.loaded
  return { state: 'loading', earlier: lastAnswer(result) }
}
