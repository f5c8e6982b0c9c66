import { createHash } from 'node:crypto'

/** Several times as many as the largest list has. */
const MAX_KEYS = 5_000_000

/** Enough that no two of some millions of keys are taken for one, and as short as it can be. */
const FINGERPRINT_BYTES = 12

/** Finds rows of a body that have the key of an earlier one, in some hundred bytes for each key. */
export class DuplicateRows {
  readonly #seen = new Map<string, string>()

  /** `new`; `same` for the same row again; `other` for another row of the key. Throws RangeError for too many keys. */
  note(key: string, row: string): 'new' | 'same' | 'other' {
    const of = fingerprint(key)
    const before = this.#seen.get(of)
    const now = fingerprint(row)
    if (before !== undefined) return before === now ? 'same' : 'other'
    if (this.#seen.size >= MAX_KEYS) throw new RangeError(`there are more than ${MAX_KEYS} keys`)
    this.#seen.set(of, now)
    return 'new'
  }
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, FINGERPRINT_BYTES).toString('latin1')
}
