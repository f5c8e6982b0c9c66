import type { BarVenue, VenuePair } from '../../../core/consensus/venue-symbols.js'
import type { VenueBar } from '../../../core/consensus/venue-vwap.js'
import type { FeedRequest, Parsed, Provider } from '../../feed.js'

/** One-minute bars that start in [from, to); `now` decides what is within a venue's reach. */
export interface BarsQuery {
  readonly pair: VenuePair
  readonly from: Date
  readonly to: Date
  readonly now: Date
}

export interface AnswerContext {
  readonly pair: VenuePair
  /** HTTP status of the answer: some venues report an unknown pair by it. */
  readonly status: number
  /** A bar whose minute has not ended at this instant is not final and left out. */
  readonly now: Date
}

/** The rows of an answer. */
export interface ParsedBars {
  /** Each bad row with its reason, then the bars by ascending time, each minute once. */
  readonly items: readonly Parsed<VenueBar>[]
  /** Rows that are neither: not final, the same as an earlier one, or outside what was asked for. */
  readonly absent: number
}

export type VenueAnswer =
  | ({ readonly kind: 'bars' } & ParsedBars)
  /** The venue does not know the pair: no failure, it has no say in the price of this asset. */
  | { readonly kind: 'not_listed' }

/** What every venue fills. It reads bytes and never fetches. */
export interface VenueAdapter {
  readonly venue: BarVenue
  readonly provider: Provider
  /** How the venue writes the asset's pair, by rule; null for a pair that makes no sense there. */
  symbolOf(ticker: string): VenuePair | null
  /** One request per page of the venue, oldest first; none for what it cannot give. Throws RangeError beyond 500. */
  request(query: BarsQuery): readonly FeedRequest[]
  /** Throws BrokenBody when the body as a whole is no answer to the request: empty, HTML, an error of the venue. */
  parse(body: Uint8Array, context: AnswerContext): VenueAnswer
}
