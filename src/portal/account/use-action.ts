import { useState } from 'preact/hooks'
import { RequestError } from '../client/request.js'

export interface Action {
  readonly isRunning: boolean
  /** The error of the last run; null if it succeeded. */
  readonly error: RequestError | null
  /** Runs `work`; does nothing while an earlier run has not ended. */
  readonly run: (work: () => Promise<void>) => void
}

/** Runs actions of the user, one at a time, and keeps the error of the last one. */
export function useAction(): Action {
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<RequestError | null>(null)
  const run = (work: () => Promise<void>) => {
    if (isRunning) return
    setRunning(true)
    setError(null)
    work()
      .catch((error: unknown) =>
        setError(error instanceof RequestError ? error : new RequestError(String(error), 'unknown')),
      )
      .finally(() => setRunning(false))
  }
  return { isRunning, error, run }
}
