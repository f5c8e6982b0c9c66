import type { BarVenue, VenuePair } from '../../../core/consensus/venue-symbols.js'
import type { VenueBar } from '../../../core/consensus/venue-vwap.js'
import type { FeedRequest, Parsed, Provider } from '../../feed.js'

/** Requests one-minute bars that start in [from, to); `now` determines what a venue still serves. */
export interface BarsQuery {
  readonly pair: VenuePair
  readonly from: Date
  readonly to: Date
  readonly now: Date
}

export interface AnswerContext {
  readonly pair: VenuePair
  /** HTTP status of the answer; some venues report an unknown pair by it. */
  readonly status: number
  /** A bar whose minute has not ended at this instant is not final and is left out. */
  readonly now: Date
}

/** The rows of an answer. */
export interface ParsedBars {
  /** Rejected rows with their reasons, then the bars by ascending time, each minute once. */
  readonly items: readonly Parsed<VenueBar>[]
  /** Other rows: not final, equal to an earlier one, or outside the request. */
  readonly absent: number
}

export type VenueAnswer =
  | ({ readonly kind: 'bars' } & ParsedBars)
  /** The venue does not know the pair. This is not a failure; the venue does not contribute to this asset. */
  | { readonly kind: 'not_listed' }

/** The interface of a venue. It reads bytes and never fetches. */
export interface VenueAdapter {
  readonly venue: BarVenue
  readonly provider: Provider
  /** Older minutes than these milliseconds ago are never served; absent if the venue serves its whole history. */
  readonly reachMs?: number
  /** The venue's symbol for the asset's pair, by rule; null for a pair that it cannot have. */
  symbolOf(ticker: string): VenuePair | null
  /**
   * One request per page, oldest first; none for what the venue does not serve. Throws RangeError for more than
   * 500.
   */
  request(query: BarsQuery): readonly FeedRequest[]
  /** Throws BrokenBody if the body as a whole is not an answer: empty, HTML, or an error of the venue. */
  parse(body: Uint8Array, context: AnswerContext): VenueAnswer
}
