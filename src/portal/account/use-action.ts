import { useState } from 'preact/hooks'
import { Refusal } from '../client/request.js'

export interface Action {
  readonly isRunning: boolean
  /** Why it failed the last time; null when it did not. */
  readonly refusal: Refusal | null
  /** Does it, unless it is being done. */
  readonly run: (work: () => Promise<void>) => void
}

/** Something that a user does, one at a time, and that may be refused. */
export function useAction(): Action {
  const [isRunning, setRunning] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const run = (work: () => Promise<void>) => {
    if (isRunning) return
    setRunning(true)
    setRefusal(null)
    work()
      .catch((error: unknown) =>
        setRefusal(error instanceof Refusal ? error : new Refusal(String(error), 'unknown')),
      )
      .finally(() => setRunning(false))
  }
  return { isRunning, refusal, run }
}
