/** Approximate memory of an entry besides the characters of its text. */
const OVERHEAD_BYTES = 512
const BYTES_PER_CHAR = 2

interface Owned {
  bytes: number
  /** By hash, the least recently used first. */
  readonly texts: Map<string, string>
}

/**
 * Texts by their hash, bounded by bytes. When the cache is full, the owner with the most bytes loses its least recently used
 * text, so no owner displaces the texts of an owner that uses less.
 */
export class FairLru {
  readonly #maxBytes: number
  readonly #owners = new Map<string, Owned>()
  readonly #ownerOf = new Map<string, string>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(hash: string): string | null {
    const texts = this.#owners.get(this.#ownerOf.get(hash) ?? '')?.texts
    const text = texts?.get(hash)
    if (texts === undefined || text === undefined) return null
    texts.delete(hash)
    texts.set(hash, text)
    return text
  }

  has(hash: string): boolean {
    return this.#ownerOf.has(hash)
  }

  set(hash: string, text: string, owner: string): void {
    if (this.has(hash)) return
    const owned = this.#owners.get(owner) ?? { bytes: 0, texts: new Map<string, string>() }
    this.#owners.set(owner, owned)
    this.#ownerOf.set(hash, owner)
    owned.texts.set(hash, text)
    this.#count(owned, bytesOf(text))
    while (this.#bytes > this.#maxBytes) this.#dropOne()
  }

  /** Approximate memory of the texts. */
  get bytes(): number {
    return this.#bytes
  }

  #dropOne(): void {
    let largest: readonly [string, Owned] | null = null
    for (const entry of this.#owners)
      if (largest === null || entry[1].bytes > largest[1].bytes) largest = entry
    if (largest === null) throw new Error('the cache counts bytes without an owner')
    const [owner, owned] = largest
    for (const [hash, text] of owned.texts) {
      owned.texts.delete(hash)
      this.#ownerOf.delete(hash)
      this.#count(owned, -bytesOf(text))
      break
    }
    if (owned.texts.size === 0) this.#owners.delete(owner)
  }

  #count(owned: Owned, bytes: number): void {
    owned.bytes += bytes
    this.#bytes += bytes
  }
}

function bytesOf(text: string): number {
  return OVERHEAD_BYTES + BYTES_PER_CHAR * text.length
}
