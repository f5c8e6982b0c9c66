import type { Figi, Ticker } from '../../../core/identifiers.js'

/** A listing whose FIGI is not known. */
export interface ListingToAsk {
  readonly assetId: number
  readonly ticker: Ticker
}

/** The answer for a listing. */
export interface AskedListing {
  readonly assetId: number
  /** Null if the provider does not know it. */
  readonly figi: Figi | null
}
