/** A text that a search is compared with. */
export interface Searchable {
  readonly title: string
  readonly note: string
}

/** Words with typing errors are recognised from these lengths on, as `asset_search` does. */
const LETTERS_FOR_ONE_ERROR = 4
const LETTERS_FOR_TWO_ERRORS = 8

const EXACT = 0
const BEGINNING = 1
const WORD = 2
const CORRECTED = 3
const CONTAINED = 4

/**
 * The entries that match a text, best first: title or note equals it, begins with it, each word begins a word of them, words
 * with typing errors, contains its words. Equal matches keep their order.
 */
export function rankMatches<Entry extends Searchable>(text: string, entries: readonly Entry[]): Entry[] {
  const wanted = splitWords(text)
  if (wanted.length === 0) return []
  const ranked = entries.flatMap((entry) => {
    const rank = rankOf(wanted, entry)
    return rank === null ? [] : [{ entry, rank }]
  })
  return ranked.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry)
}

function rankOf(wanted: readonly string[], { title, note }: Searchable): number | null {
  const text = wanted.join(' ')
  const texts = [title, note].map((one) => splitWords(one).join(' '))
  if (texts.includes(text)) return EXACT
  if (texts.some((one) => one.startsWith(text))) return BEGINNING
  const words = texts.join(' ').split(' ')
  if (wanted.every((word) => words.some((one) => one.startsWith(word)))) return WORD
  if (wanted.every((word) => words.some((one) => isMistyped(word, one)))) return CORRECTED
  return wanted.every((word) => texts.some((one) => one.includes(word))) ? CONTAINED : null
}

function splitWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}

/** Whether a word of the text begins the known word, or differs from it by few errors. */
function isMistyped(word: string, known: string): boolean {
  if (known.startsWith(word)) return true
  const { length } = word
  const allowed = length >= LETTERS_FOR_TWO_ERRORS ? 2 : length >= LETTERS_FOR_ONE_ERROR ? 1 : 0
  return Math.abs(known.length - length) <= allowed && allowed > 0 && countErrors(word, known) <= allowed
}

/** Edits between two words (Levenshtein); two adjacent letters swapped are one edit. */
function countErrors(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        (last[j] ?? Infinity) + 1,
        (row[j - 1] ?? Infinity) + 1,
        (last[j - 1] ?? Infinity) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[j - 2] ?? Infinity) + 1 : Infinity,
      )
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? Infinity
}
