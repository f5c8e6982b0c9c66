/** What the first who asks has made; null where it may not be given again, or failed. */
type Landed<T> = T | null

interface Flight<T> {
  readonly landed: Promise<Landed<T>>
  readonly land: (result: Landed<T>) => void
}

/** The first who asks for a key makes it, and must call `land`, whatever becomes of it. */
export interface Lead<T> {
  readonly isFirst: true
  readonly land: (result: Landed<T>) => void
}

export interface Follow<T> {
  readonly isFirst: false
  /** Null once the first has failed or taken too long: then each makes its own. */
  readonly landed: Promise<Landed<T>>
}

/** One making serves all who ask for the same meanwhile; nobody waits for another longer than `waitMs`. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>()
  readonly #waitMs: number

  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  join(key: string): Lead<T> | Follow<T> {
    const flight = this.#flights.get(key)
    if (flight !== undefined) return { isFirst: false, landed: within(this.#waitMs, flight.landed) }
    let resolve: (result: Landed<T>) => void = () => {}
    const landed = new Promise<Landed<T>>((done) => {
      resolve = done
    })
    const land = (result: Landed<T>) => {
      if (this.#flights.get(key)?.landed === landed) this.#flights.delete(key)
      resolve(result)
    }
    this.#flights.set(key, { landed, land })
    return { isFirst: true, land }
  }
}

async function within<T>(ms: number, landed: Promise<Landed<T>>): Promise<Landed<T>> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null)
  })
  try {
    return await Promise.race([landed, late])
  } finally {
    clearTimeout(timer)
  }
}
