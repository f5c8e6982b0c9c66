/** A text that a search is compared with. */
export interface Searchable {
  readonly title: string
  readonly note: string
  /** Other words that people use for it. */
  readonly keywords?: readonly string[]
}

/** Words with typing errors are recognised from these lengths on, as `asset_search` does. */
const LETTERS_FOR_ONE_ERROR = 4
const LETTERS_FOR_TWO_ERRORS = 8

/** How well a text matches, the best first. */
export const Rank = { exact: 0, beginning: 1, words: 2, corrected: 3, contained: 4, some: 5 } as const

/** Whether a rank is that of an entry with all words. */
export function isFullMatch(rank: number | null): boolean {
  return rank !== null && rank < Rank.some
}

/** Words that say nothing about what is wanted. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and are as at by do does for from get has have how i in is it me much my of on or show tell the to what when where which who with'.split(
    ' ',
  ),
)

/**
 * How well an entry matches a text: title, note or a keyword equals it, begins with it, each word begins a word of them, words
 * with typing errors, contains its words, has some of its words: `Rank.some`, and the less the more of them. Null if it has none.
 */
export function rankOf(text: string, { title, note, keywords = [] }: Searchable): number | null {
  const wanted = splitWords(text)
  if (wanted.length === 0) return null
  const whole = wanted.join(' ')
  const texts = [title, note, ...keywords].map((one) => splitWords(one).join(' '))
  if (texts.includes(whole)) return Rank.exact
  if (texts.some((one) => one.startsWith(whole))) return Rank.beginning
  const words = texts.join(' ').split(' ')
  // 3 years are not 30 years.
  const isIn = (word: string) =>
    words.some((one) => (/^\d+$/.test(word) ? one === word : one.startsWith(word)))
  if (wanted.every(isIn)) return Rank.words
  if (wanted.every((word) => words.some((one) => isMistyped(word, one)))) return Rank.corrected
  // Two letters or digits are somewhere in any code.
  const isTelling = (word: string) => word.length > 2
  if (wanted.every((word) => isTelling(word) && texts.some((one) => one.includes(word))))
    return Rank.contained
  const found = wanted.filter((word) => isTelling(word) && !STOP_WORDS.has(word) && isIn(word)).length
  return found === 0 ? null : Rank.some + 1 - found / wanted.length
}

/** Lower-case words. */
export function splitWords(text: string): string[] {
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
