/** The leader's result; null if it must not be shared or the leader failed. */
type SharedResult<T> = T | null

interface Flight<T> {
  readonly result: Promise<SharedResult<T>>
  readonly settle: (result: SharedResult<T>) => void
}

/** The first request of a key computes the result and must always call `settle`. */
export interface Leader<T> {
  readonly isFirst: true
  readonly settle: (result: SharedResult<T>) => void
}

export interface Waiter<T> {
  readonly isFirst: false
  /** Null if the leader failed or took too long; then each waiter computes its own result. */
  readonly result: Promise<SharedResult<T>>
}

/** Concurrent requests of one key share one computation. A waiter waits at most `waitMs`. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>()
  readonly #waitMs: number

  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  join(key: string): Leader<T> | Waiter<T> {
    const flight = this.#flights.get(key)
    if (flight !== undefined) return { isFirst: false, result: within(this.#waitMs, flight.result) }
    let resolve: (result: SharedResult<T>) => void = () => {}
    const result = new Promise<SharedResult<T>>((done) => {
      resolve = done
    })
    const settle = (outcome: SharedResult<T>) => {
      if (this.#flights.get(key)?.result === result) this.#flights.delete(key)
      resolve(outcome)
    }
    this.#flights.set(key, { result, settle })
    return { isFirst: true, settle }
  }
}

async function within<T>(ms: number, result: Promise<SharedResult<T>>): Promise<SharedResult<T>> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null)
  })
  try {
    return await Promise.race([result, late])
  } finally {
    clearTimeout(timer)
  }
}
