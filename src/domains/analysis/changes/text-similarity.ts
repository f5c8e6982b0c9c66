import { distance } from 'fastest-levenshtein'

/**
 * How alike two texts are by their words, from 0 to 1: the token-set ratio known from fuzzywuzzy
 * (A. Cohen, "FuzzyWuzzy: fuzzy string matching in Python", SeatGeek 2011). Words both texts have (sorted, joined by
 * spaces) are compared with themselves followed by the words only one has, and those two with each other; the best of
 * the three counts. Two strings compare as 1 - Levenshtein distance / length of the longer, in UTF-16 units.
 * So order, repetition, case and punctuation do not matter, and a text whose words are all in the other is 1.
 * Words are runs of letters, marks and digits (Unicode) after NFKC and lower-casing. A text without words is 1 to
 * another such text and 0 to any other.
 */
export function tokenSetRatio(left: string, right: string): number {
  const leftWords = wordsOf(left)
  const rightWords = wordsOf(right)
  const common = sorted([...leftWords].filter((word) => rightWords.has(word)))
  const onlyLeft = sorted([...leftWords].filter((word) => !rightWords.has(word)))
  const onlyRight = sorted([...rightWords].filter((word) => !leftWords.has(word)))
  const shared = common.join(' ')
  const withLeft = [...common, ...onlyLeft].join(' ')
  const withRight = [...common, ...onlyRight].join(' ')
  const whole = ratio(withLeft, withRight)
  // Without a common word both comparisons with the common words are pointless.
  return common.length === 0 ? whole : Math.max(ratio(shared, withLeft), ratio(shared, withRight), whole)
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [],
  )
}

function sorted(words: readonly string[]): readonly string[] {
  return [...words].sort()
}

/** Normalised Levenshtein ratio; two empty strings are equal. */
function ratio(left: string, right: string): number {
  const longer = Math.max(left.length, right.length)
  return longer === 0 ? 1 : 1 - distance(left, right) / longer
}
