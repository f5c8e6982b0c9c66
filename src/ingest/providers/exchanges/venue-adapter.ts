import type { Venue, VenuePair } from '../../../core/consensus/venue-symbols.js'
import type { VenueBar } from '../../../core/consensus/venue-vwap.js'
import type { Provider } from '../../../core/providers.js'
import type { FeedRequest, Parsed } from '../../feed.js'

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
  /** The address that answered. */
  readonly url: string
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

/** A body of a venue with its HTTP status. */
export interface VenueBody {
  readonly status: number
  readonly body: Uint8Array
}

/** A second request, whose answer proves that a body is complete and unchanged. */
export interface AnswerProof {
  readonly request: FeedRequest
  /** Throws BrokenBody if the body is not the published one. */
  assert(proof: VenueBody): void
}

/** The interface of a venue, or of another place with its bars. It reads bytes and never fetches. */
export interface VenueAdapter {
  readonly venue: Venue
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
  /** How an answer is proved, for a venue that publishes hashes. */
  proof?(request: FeedRequest, answer: VenueBody): AnswerProof | undefined
  /** Throws BrokenBody if the body as a whole is not an answer: empty, HTML, or an error of the venue. */
  parse(body: Uint8Array, context: AnswerContext): VenueAnswer
}
