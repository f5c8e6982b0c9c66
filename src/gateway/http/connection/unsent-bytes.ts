import type { ServerResponse } from 'node:http'
import { cutOff } from './cut-off.js'

/** Four of the largest responses (MAX_ANSWER_BYTES). A client that reads never has that many unsent bytes. */
export const MAX_UNSENT_PER_ADDRESS = 64 * 2 ** 20

/** Four times the limit of one address. A small process has this much memory besides its cache and its work. */
export const MAX_UNSENT = 256 * 2 ** 20

export interface UnsentLimits {
  readonly perAddress?: number
  readonly inAll?: number
}

interface UnsentReply {
  readonly address: string
  readonly bytes: number
  readonly cut: () => void
}

interface UnsentOfAddress {
  bytes: number
  /** Oldest first. */
  readonly replies: Set<UnsentReply>
}

/**
 * Counts the bytes of replies that clients have not read yet, per address and in total. Above a limit it closes connections
 * of the address, or of the address with the most unsent bytes, starting with the one that has not been read for longest.
 */
export class UnsentBytes {
  readonly #perAddress: number
  readonly #inAll: number
  readonly #addresses = new Map<string, UnsentOfAddress>()
  #bytes = 0
  #cuts = 0

  constructor({ perAddress = MAX_UNSENT_PER_ADDRESS, inAll = MAX_UNSENT }: UnsentLimits = {}) {
    this.#perAddress = perAddress
    this.#inAll = inAll
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Number of connections closed since the process started. */
  get cuts(): number {
    return this.#cuts
  }

  /** Counts the unsent bytes of a response until they are sent or the connection is closed. */
  watch(address: string, response: ServerResponse): void {
    const bytes = response.writableLength
    if (bytes > 0)
      response.once(
        'close',
        this.add(address, bytes, () => cutOff(response)),
      )
  }

  /** Counts the bytes until the returned function is called; `cut` closes their connection. */
  add(address: string, bytes: number, cut: () => void): () => void {
    const reply: UnsentReply = { address, bytes, cut }
    const held = this.#addresses.get(address) ?? { bytes: 0, replies: new Set() }
    this.#addresses.set(address, held)
    held.bytes += bytes
    held.replies.add(reply)
    this.#bytes += bytes
    while (held.bytes > this.#perAddress) this.#cutOldest(held)
    while (this.#bytes > this.#inAll) this.#cutOldest(this.#heaviest() ?? held)
    return () => this.#remove(reply)
  }

  #heaviest(): UnsentOfAddress | null {
    let heaviest: UnsentOfAddress | null = null
    for (const held of this.#addresses.values())
      if (heaviest === null || held.bytes > heaviest.bytes) heaviest = held
    return heaviest
  }

  #cutOldest({ replies }: UnsentOfAddress): void {
    const [oldest] = replies
    if (oldest === undefined) return
    this.#remove(oldest)
    this.#cuts += 1
    oldest.cut()
  }

  #remove(reply: UnsentReply): void {
    const held = this.#addresses.get(reply.address)
    if (!held?.replies.delete(reply)) return
    held.bytes -= reply.bytes
    this.#bytes -= reply.bytes
    if (held.replies.size === 0) this.#addresses.delete(reply.address)
  }
}
