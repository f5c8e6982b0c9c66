/**
 * One instrument of the synthetic seed world and its primary listing. Prices and other figures of that world are
 * made up; these master facts are real, and one that could not be confirmed is null.
 */
export interface SeedInstrument {
  /** Integer key, stable for the life of the asset: crypto from 1, stocks 1001, ETFs 2001, commodities 3001. */
  readonly assetId: number
  /** Unique lower-case name for URLs, e.g. bitcoin. */
  readonly slug: string
  /** Upper-case ticker on its market, e.g. BTC; unique together with `mic`. */
  readonly ticker: string
  readonly name: string
  readonly assetClass: 'crypto' | 'stock' | 'etf' | 'commodity'
  /** Tier by rank, crypto only. */
  readonly tier: 1 | 2 | 3 | null
  /** ISO 10383 code of the primary market (futures market for commodities); null where there is none. */
  readonly mic: string | null
  readonly isin: string | null
  /** Composite FIGI of the primary listing's country; the FIGI of the asset itself for crypto. */
  readonly figi: string | null
  /** ISO 4217 trading currency; a London line quoted in pence says GBP. */
  readonly currency: string
  /** GICS sector, stocks only. */
  readonly sectorGics: string | null
  /** SEC central index key, 10 digits, US filers only. */
  readonly cik: string | null
}
