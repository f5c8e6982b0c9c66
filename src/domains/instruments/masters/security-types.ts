import type { SecurityType } from '../model.js'

/** The SEC's suffixes: BA-PA, ABC-WT, ABC-UN, ABC-RI. BRK-B is a class of common shares. */
const SUFFIXES: readonly (readonly [SecurityType, RegExp])[] = [
  ['preferred', /-P[A-Z]{0,2}$/],
  ['warrant', /-W[ST]?[A-Z]?$/],
  ['unit', /-UN?$/],
  ['right', /-R[IT]?$/],
]

/** The fifth letter of a ticker on Nasdaq. */
const FIFTH_LETTERS: Readonly<Record<string, SecurityType>> = {
  M: 'preferred',
  N: 'preferred',
  O: 'preferred',
  P: 'preferred',
  R: 'right',
  U: 'unit',
  W: 'warrant',
}

const FIVE_LETTERS = /^[A-Z]{4}([A-Z])$/

/** A ticker of the SEC's list, with its exchange as the list names it. */
interface ListedTicker {
  readonly ticker: string
  readonly exchange: string
}

/**
 * What a ticker of the SEC's list is. A fifth letter on Nasdaq counts only with evidence: the company also has a ticker of the
 * first four letters, or one that differs in the fifth letter. Null for a share, a fund, and if the list does not show it.
 */
export function securityTypeOf(
  { ticker, exchange }: ListedTicker,
  tickersOfCompany: readonly string[],
): SecurityType | null {
  const named = SUFFIXES.find(([, suffix]) => suffix.test(ticker))
  if (named !== undefined) return named[0]
  const byLetter = exchange === 'Nasdaq' ? FIFTH_LETTERS[FIVE_LETTERS.exec(ticker)?.[1] ?? ''] : undefined
  if (byLetter === undefined) return null
  const base = ticker.slice(0, 4)
  const isSibling = (other: string) =>
    other === base || (other !== ticker && other.startsWith(base) && FIVE_LETTERS.test(other))
  return tickersOfCompany.some(isSibling) ? byLetter : null
}

/** Whether the suffix of a ticker says that it is no share of a company. */
export function hasTypeSuffix(ticker: string): boolean {
  return SUFFIXES.some(([, suffix]) => suffix.test(ticker))
}

/** Whether the fifth letter of a ticker may say so. Without evidence it may also be a part of the name. */
export function hasTypeLetter(ticker: string): boolean {
  return FIFTH_LETTERS[FIVE_LETTERS.exec(ticker)?.[1] ?? ''] !== undefined
}
