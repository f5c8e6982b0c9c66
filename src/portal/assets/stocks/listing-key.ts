/** A stock on one market: what the other panels of a stock request. */
export interface ListingKey {
  readonly ticker: string
  readonly mic: string | null
}
