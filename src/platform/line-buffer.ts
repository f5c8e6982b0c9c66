/** A character takes at most this many bytes of UTF-8. */
const BYTES_PER_CHARACTER = 3

/**
 * Collects lines as bytes and gives them out together. Kept as text they would be copied by each collection of garbage, and
 * walked through piece by piece when they are encoded.
 */
export class LineBuffer {
  readonly #give: (bytes: Buffer) => void
  readonly #bytes: Buffer
  #used = 0

  /** `give` gets whole lines, about `size` bytes of them at most, in memory of their own. */
  constructor(size: number, give: (bytes: Buffer) => void) {
    this.#give = give
    this.#bytes = Buffer.allocUnsafeSlow(size)
  }

  /** A line that could be longer than the buffer is given out by itself, in its place. */
  add(line: string): void {
    const most = line.length * BYTES_PER_CHARACTER
    if (most > this.#bytes.length - this.#used) this.flush()
    if (most > this.#bytes.length) this.#give(Buffer.from(line))
    else this.#used += this.#bytes.write(line, this.#used)
  }

  /** Gives out what is there. */
  flush(): void {
    if (this.#used === 0) return
    const lines = Buffer.from(this.#bytes.subarray(0, this.#used))
    this.#used = 0
    this.#give(lines)
  }
}
