import { createHash } from 'node:crypto'

/** Several times the rows of the largest list. */
const MAX_KEYS = 5_000_000

/** Words of the fingerprints, two for the key and two for the row: enough to tell millions of keys apart. */
const WORDS = 4
const FIRST_SLOTS = 1_024

type Fingerprint = readonly [number, number]

/** Replaces the fingerprint of a row after a contradiction. */
const CONTESTED: Fingerprint = [0, 0]

/**
 * Finds rows of a body whose key an earlier row has, with about fifty bytes per key. If rows of one key contradict
 * each other, none of them counts: the first contradiction returns `other`, so the caller must undo the earlier
 * row. All later rows of the key return `contested`.
 */
export class DuplicateRows {
  #table = new Uint32Array(FIRST_SLOTS * WORDS)
  #keys = 0

  has(key: string): boolean {
    return this.#isTaken(this.#slotOf(fingerprint(key)))
  }

  /** Returns `new`, `same` for an equal row, or else a contradiction. Throws RangeError for too many keys. */
  note(key: string, row: string): 'new' | 'same' | 'other' | 'contested' {
    const of = fingerprint(key)
    const now = fingerprint(row)
    const slot = this.#slotOf(of)
    if (!this.#isTaken(slot)) {
      if (this.#keys >= MAX_KEYS) throw new RangeError(`the body has more than ${MAX_KEYS} keys`)
      this.#keys += 1
      this.#table.set([...of, ...now], slot)
      if (this.#keys * WORDS * 2 > this.#table.length) this.#grow()
      return 'new'
    }
    if (this.#hasAt(slot + 2, CONTESTED)) return 'contested'
    if (this.#hasAt(slot + 2, now)) return 'same'
    this.#table.set(CONTESTED, slot + 2)
    return 'other'
  }

  /** The slot that has the key, or would have it. */
  #slotOf(key: Fingerprint): number {
    const slots = this.#table.length / WORDS
    let slot = (key[0] % slots) * WORDS
    while (this.#isTaken(slot) && !this.#hasAt(slot, key)) slot = (slot + WORDS) % this.#table.length
    return slot
  }

  #isTaken(slot: number): boolean {
    return !this.#hasAt(slot, [0, 0])
  }

  #hasAt(place: number, [first, second]: Fingerprint): boolean {
    return this.#table[place] === first && this.#table[place + 1] === second
  }

  #grow(): void {
    const old = this.#table
    this.#table = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += WORDS) {
      const [first = 0, second = 0] = old.subarray(at, at + 2)
      if (first !== 0 || second !== 0)
        this.#table.set(old.subarray(at, at + WORDS), this.#slotOf([first, second]))
    }
  }
}

/** Never two zeros, which mark an empty slot. */
function fingerprint(text: string): Fingerprint {
  const digest = createHash('sha256').update(text).digest()
  return [digest.readUInt32LE(0), digest.readUInt32LE(4) || 1]
}
