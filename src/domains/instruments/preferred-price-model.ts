import { PROVIDERS } from '../../core/providers.js'

/**
 * Providers of daily prices in the order of preference: of several that state a day, the first one counts. The file of the
 * operator corrects others. Tiingo corrects days for weeks and states the dividends that belong to its prices. Alpaca has all
 * listings.
 */
export const PRICE_SOURCES: readonly string[] = [
  PROVIDERS.operator.id,
  PROVIDERS.tiingo.id,
  PROVIDERS.alpaca.id,
]

/** A close that differs by a larger fraction from that of the preferred provider is a finding of the dataset. */
export const MAX_CLOSE_DIFFERENCE = 0.005

/** SQL that is false for a row of `daily_price` if a preferred provider states its day too. `known` is true for the rows that count. */
export function isPreferredPrice(row: string, known: (row: string) => string): string {
  return `not exists (
    select 1 from daily_price as better where better.instrument_id = ${row}.instrument_id and better.date = ${row}.date
      and ${rankOf('better')} < ${rankOf(row)} and ${known('better')})`
}

/** The same for the rows that are current. */
export function isCurrentPreferredPrice(row: string): string {
  const isCurrent = (each: string) => `${each}.known_to is null`
  return `${isCurrent(row)} and ${isPreferredPrice(row, isCurrent)}`
}

/** A provider that is not in the list comes last. */
function rankOf(row: string): string {
  const names = PRICE_SOURCES.map((source) => `'${source}'`)
  return `coalesce(array_position(array[${names.join(', ')}], ${row}.source), ${names.length + 1})`
}
