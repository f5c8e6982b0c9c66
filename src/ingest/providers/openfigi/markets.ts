import ROWS from './markets.json' with { type: 'json' }

/**
 * A listing's market by its Bloomberg exchange code. A member is null if it differs between lines of that market.
 */
export interface Market {
  /** ISO 10383; null for a composite of several venues. */
  readonly mic: string | null
  /** ISO 4217; null if a market trades in several currencies and the code does not say which. */
  readonly currency: string | null
}

/**
 * Common exchange codes: composites of a country first, then venues. MICs as in the published table of exchange codes. A
 * currency is given only if every line of the market trades in it: London, Hong Kong, SIX, Euronext and the German venues also
 * trade in dollars and others.
 */
export const MARKETS: ReadonlyMap<string, Market> = new Map(
  ROWS.map(({ code, mic, currency }) => [code, { mic, currency }]),
)
