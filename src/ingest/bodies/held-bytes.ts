import { BrokenBody } from '../feed.js'

const MEGABYTE = 2 ** 20

/** The beginning of an entry whose end is in a later chunk. */
export class HeldBytes {
  readonly #entry: string
  readonly #maxMb: number
  #pieces: Uint8Array[] = []
  #bytes = 0

  /** `entry`: what an error calls it. */
  constructor(entry: string, maxMb: number) {
    this.#entry = entry
    this.#maxMb = maxMb
  }

  /** Holds a copy, because the sender may reuse the chunk. Throws BrokenBody for an entry that is too long. */
  hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#pieces.push(new Uint8Array(bytes))
    this.#bytes += bytes.length
    if (this.#bytes > this.#maxMb * MEGABYTE)
      throw new BrokenBody(`${this.#entry} is longer than ${this.#maxMb} MB`)
  }

  /** Returns the whole entry and holds nothing more. The bytes are valid until the next chunk. */
  take(end: Uint8Array): Uint8Array {
    if (this.#bytes === 0) return end
    const entry = Buffer.concat([...this.#pieces, end])
    this.#pieces = []
    this.#bytes = 0
    return entry
  }
}
