import { distance } from 'fastest-levenshtein'

/** No known name is longer. */
const MAX_WORD_LENGTH = 64

/** A shorter prefix would match by chance. */
const MIN_PREFIX_LENGTH = 2

/**
 * The known word that was probably meant, or null. In this order: the same except for upper and lower case; the
 * fewest typing errors (at most a third of the word's length, at least 1 allowed; two adjacent letters swapped
 * are one error); one word the beginning of the other. Ties go to the alphabetically first, so that the order of
 * `known` does not matter. A word that is known as written is not a miss: null.
 */
export function suggest(word: string, known: readonly string[]): string | null {
  if (word === '' || word.length > MAX_WORD_LENGTH || known.includes(word)) return null
  const wanted = word.toLowerCase()
  const allowed = Math.max(1, Math.floor(word.length / 3))
  let best: { readonly rank: number; readonly text: string } | null = null
  for (const text of known) {
    const rank = rankOf(wanted, text.toLowerCase(), allowed)
    if (rank === null) continue
    if (best === null || rank < best.rank || (rank === best.rank && text < best.text)) best = { rank, text }
  }
  return best === null ? null : best.text
}

/** The end of a sentence about an unknown word: `; did you mean X?`, or a full stop. */
export function didYouMean(near: string | null): string {
  return near === null ? '.' : `; did you mean ${near}?`
}

/** The rank: number of typing errors, then prefixes by length; null if the words are not similar. */
function rankOf(wanted: string, candidate: string, allowed: number): number | null {
  const count = countTypingErrors(wanted, candidate)
  // A single letter is one error away from every other letter.
  if (count <= allowed && count < wanted.length) return count
  const [shorter, longer] = wanted.length < candidate.length ? [wanted, candidate] : [candidate, wanted]
  const isPrefix = shorter.length >= MIN_PREFIX_LENGTH && longer.startsWith(shorter)
  return isPrefix ? MAX_WORD_LENGTH + longer.length - shorter.length : null
}

/** The edits between two words; two adjacent letters swapped are one. */
export function countTypingErrors(a: string, b: string): number {
  const count = distance(a, b)
  return count === 2 && isSwap(a, b) ? 1 : count
}

function isSwap(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  const at = Array.from(a.slice(0, -1)).findIndex((_, index) => a[index] !== b[index])
  return at >= 0 && `${a.slice(0, at)}${a[at + 1]}${a[at]}${a.slice(at + 2)}` === b
}
