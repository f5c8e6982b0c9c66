import { createHash } from 'node:crypto'

/** Several times as many as the largest list has. */
const MAX_KEYS = 5_000_000

/** Two words of a key's fingerprint and two of its row's: enough that no two of some millions of keys are taken for one. */
const WORDS = 4
const FIRST_SLOTS = 1_024

type Fingerprint = readonly [number, number]

/** In place of a row: its key has had two that contradict each other. */
const CONTESTED: Fingerprint = [0, 0]

/**
 * Finds rows of a body that have the key of an earlier one, in some fifty bytes for each key. Of rows that contradict each
 * other none counts: the first `other` says that the earlier row is to be taken back, all behind it are `contested`.
 */
export class DuplicateRows {
  #table = new Uint32Array(FIRST_SLOTS * WORDS)
  #keys = 0

  has(key: string): boolean {
    return this.#isTaken(this.#slotOf(fingerprint(key)))
  }

  /** `new`; `same` for the same row again. Throws RangeError for too many keys. */
  note(key: string, row: string): 'new' | 'same' | 'other' | 'contested' {
    const of = fingerprint(key)
    const now = fingerprint(row)
    const slot = this.#slotOf(of)
    if (!this.#isTaken(slot)) {
      if (this.#keys >= MAX_KEYS) throw new RangeError(`there are more than ${MAX_KEYS} keys`)
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

  /** Where the key is, or would be. */
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

/** Never two zeros, which stand for nothing. */
function fingerprint(text: string): Fingerprint {
  const digest = createHash('sha256').update(text).digest()
  return [digest.readUInt32LE(0), digest.readUInt32LE(4) || 1]
}
