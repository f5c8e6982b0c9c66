/** A base-32 digit encodes five names. */
const NAMES_PER_DIGIT = 5
const BASE = 32

/** Number of cached sets. The routes use some dozens. */
const MAX_CACHED = 1_024

/** Encodes sets of known names as short texts. */
export class NameSet<Name extends string> {
  readonly #names: readonly Name[]
  readonly #indices: ReadonlyMap<Name, number>
  readonly #kept = new Map<string, readonly Name[]>()

  constructor(names: readonly Name[]) {
    this.#names = names
    this.#indices = new Map(names.map((name, index) => [name, index]))
  }

  /** Encodes a set with one digit per five known names, up to the last one in the set; `0` is the empty set. Throws for an unknown name. */
  write(chosen: readonly Name[]): string {
    const digits: number[] = [0]
    for (const name of chosen) {
      const index = this.indexOf(name)
      const at = Math.floor(index / NAMES_PER_DIGIT)
      while (digits.length <= at) digits.push(0)
      digits[at] = (digits[at] ?? 0) | (1 << (index % NAMES_PER_DIGIT))
    }
    return digits.map((digit) => digit.toString(BASE)).join('')
  }

  /** The position of a name in the known order. Throws for an unknown name. */
  indexOf(name: Name): number {
    const index = this.#indices.get(name)
    if (index === undefined) throw new RangeError(`${name} is not a known name`)
    return index
  }

  /** The name at a position; null if there is none. */
  nameAt(index: number): Name | null {
    return this.#names[index] ?? null
  }

  /** Decodes the names in their known order; returns an empty list if the text contains an unknown name. */
  read(text: string): readonly Name[] {
    const kept = this.#kept.get(text)
    if (kept !== undefined) return kept
    const names = this.#decode(text)
    if (names.length > 0 && this.#kept.size < MAX_CACHED) this.#kept.set(text, names)
    return names
  }

  #decode(text: string): readonly Name[] {
    const names: Name[] = []
    if (text.length * NAMES_PER_DIGIT >= this.#names.length + NAMES_PER_DIGIT) return names
    for (let at = 0; at < text.length; at++) {
      const digit = Number.parseInt(text.charAt(at), BASE)
      for (let bit = 0; bit < NAMES_PER_DIGIT; bit++) {
        if ((digit & (1 << bit)) === 0) continue
        const name = this.#names[at * NAMES_PER_DIGIT + bit]
        if (name === undefined) return []
        names.push(name)
      }
    }
    return names
  }
}
