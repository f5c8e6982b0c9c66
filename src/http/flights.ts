import type { ServerResponse } from 'node:http'

interface Flight {
  readonly landed: Promise<void>
  readonly land: () => void
}

/** Which answers are being made, so that one making serves all who ask for the same meanwhile. */
export class Flights {
  readonly #flights = new Map<string, Flight>()

  /**
   * True at once for the first who asks for a key, who then makes the answer. False for others once it is kept, or once
   * the first's response has ended without.
   */
  join(key: string, response: ServerResponse): true | Promise<false> {
    const flight = this.#flights.get(key)
    if (flight !== undefined) return flight.landed.then(() => false)
    // Of a response whose client has gone no end will be told, so nobody may wait for it.
    if (response.closed) return true
    let resolve = () => {}
    const landed = new Promise<void>((done) => {
      resolve = done
    })
    const land = () => {
      response.off('finish', land).off('close', land)
      // Another may be under way for the key by now.
      if (this.#flights.get(key)?.landed === landed) this.#flights.delete(key)
      resolve()
    }
    this.#flights.set(key, { landed, land })
    response.on('finish', land).on('close', land)
    return true
  }

  /** The answer of a key is there. */
  land(key: string): void {
    this.#flights.get(key)?.land()
  }
}
