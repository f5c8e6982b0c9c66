/** Names per digit: base 32, so that a digit holds five of them. */
const NAMES_PER_DIGIT = 5
const BASE = 32

/** Sets whose names are kept; the routes have some dozens. */
const MAX_KEPT = 1_024

/** Writes sets of known names as short texts, however many names there are. */
export class NameSet<Name extends string> {
  readonly #names: readonly Name[]
  readonly #places: ReadonlyMap<Name, number>
  readonly #kept = new Map<string, readonly Name[]>()

  constructor(names: readonly Name[]) {
    this.#names = names
    this.#places = new Map(names.map((name, place) => [name, place]))
  }

  /** One digit per five known names up to the last that is in the set; `0` for none. Throws for an unknown name. */
  write(chosen: readonly Name[]): string {
    const digits: number[] = [0]
    for (const name of chosen) {
      const place = this.#places.get(name)
      if (place === undefined) throw new RangeError(`${name} is not a known name`)
      const at = Math.floor(place / NAMES_PER_DIGIT)
      while (digits.length <= at) digits.push(0)
      digits[at] = (digits[at] ?? 0) | (1 << (place % NAMES_PER_DIGIT))
    }
    return digits.map((digit) => digit.toString(BASE)).join('')
  }

  /** The names of a text, in the order in which they are known; none for a text that names an unknown one. */
  read(text: string): readonly Name[] {
    const kept = this.#kept.get(text)
    if (kept !== undefined) return kept
    const names = this.#decode(text)
    if (names.length > 0 && this.#kept.size < MAX_KEPT) this.#kept.set(text, names)
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
