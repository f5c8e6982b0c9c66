import type { ServerResponse } from 'node:http'

/** Four of the largest answers (MAX_ANSWER_BYTES): a client that reads has not so much under way at one moment. */
export const MAX_UNSENT_PER_ADDRESS = 64 * 2 ** 20

/** As much as four addresses may hold: what a small process can keep beside its cache and what it works on. */
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
 * Counts the bytes of replies that clients have not taken yet, per address and in all. Over a bound connections are cut: of
 * the address, or of the address that holds most, the one whose client has not read for longest.
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

  /** Connections that were cut since the process started. */
  get cuts(): number {
    return this.#cuts
  }

  /** Counts what the system has not taken of a response until it has, or the connection is gone. */
  watch(address: string, response: ServerResponse): void {
    const bytes = response.writableLength
    if (bytes > 0)
      response.once(
        'close',
        this.add(address, bytes, () => response.destroy()),
      )
  }

  /** Counts the bytes until the returned function is called; `cut` ends their connection. */
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
