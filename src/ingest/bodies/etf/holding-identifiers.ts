import { type Figi, type Isin, type Lei, parseFigi, parseIsin, parseLei } from '../../../core/identifiers.js'
import { toPrintableName } from '../local-text.js'

/** Placeholders that sources write for a missing identifier. */
const NONE: ReadonlySet<string> = new Set(['', '-', '--', 'N/A', 'NONE', 'NULL'])

const MAX_LENGTH = 40

interface Identifiers {
  readonly isin: Isin | null
  readonly figi: Figi | null
  readonly lei: Lei | null
  /** Identifiers that failed their check, each with its kind. */
  readonly unverified: readonly string[]
}

/** The text of a cell; null for a placeholder. */
export function textOrNull(text: string | null | undefined): string | null {
  const trimmed = (text ?? '').trim()
  return NONE.has(trimmed.toUpperCase()) ? null : trimmed
}

const MAX_TICKER_LENGTH = 20

/** The ticker as the source writes it; null for a placeholder. */
export function toTicker(text: string | null | undefined): string | null {
  return textOrNull(toPrintableName(text ?? '').slice(0, MAX_TICKER_LENGTH))
}

/** Parses the identifiers of a holding. One with wrong check digits is kept as text only. */
export function readHoldingIdentifiers(given: {
  readonly isin?: string | null
  readonly figi?: string | null
  readonly lei?: string | null
}): Identifiers {
  const unverified: string[] = []
  const read = <Id>(kind: string, text: string | null | undefined, parse: (text: string) => Id | null) => {
    const there = textOrNull(text)
    if (there === null || /^0+$/.test(there)) return null
    const identifier = parse(there)
    if (identifier === null) unverified.push(`${kind} ${printable(there).slice(0, MAX_LENGTH)}`)
    return identifier
  }
  const isin = read('isin', given.isin, parseIsin)
  const figi = read('figi', given.figi, parseFigi)
  const lei = read('lei', given.lei, parseLei)
  return { isin, figi, lei, unverified }
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?')
}
