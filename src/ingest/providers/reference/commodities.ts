import type { InstrumentFacts } from '../../../domains/instruments/model.js'

type CommodityRow = readonly [assetId: number, slug: string, ticker: string, name: string, mic: string | null]

// Precious metals have their ISO 4217 spot code and no single market; the others have the root of their futures.
const ROWS: readonly CommodityRow[] = [
  [3001, 'gold', 'XAU', 'Gold', null],
  [3002, 'silver', 'XAG', 'Silver', null],
  [3003, 'platinum', 'XPT', 'Platinum', null],
  [3004, 'palladium', 'XPD', 'Palladium', null],
  [3005, 'wti', 'CL', 'WTI Crude Oil', 'XNYM'],
  [3006, 'brent', 'BRN', 'Brent Crude Oil', 'IFEU'],
  [3007, 'natural-gas', 'NG', 'Natural Gas', 'XNYM'],
  [3008, 'copper', 'HG', 'Copper', 'XCEC'],
]

/** The 8 commodities, quoted in USD. */
export const COMMODITIES: readonly InstrumentFacts[] = ROWS.map(([assetId, slug, ticker, name, mic]) => ({
  assetId,
  slug,
  ticker,
  name,
  assetClass: 'commodity',
  tier: null,
  mic,
  isin: null,
  figi: null,
  currency: 'USD',
  sectorGics: null,
  cik: null,
  contract: null,
  lei: null,
  symbols: {},
}))
