import type { TradedAsset } from '../../core/venue-symbols.js'
import type { VenueBar } from '../../core/venue-vwap.js'
import type { Venue } from '../../domains/market/model.js'
import type { Provider } from '../feed.js'
import type { Rejection } from '../ledger.js'

export interface DayQuestion extends TradedAsset {
  readonly slug: string
  /** Start of the UTC day. */
  readonly day: Date
  readonly now: Date
}

export type DayAnswer =
  /** All bars of the day; none where the venue had none, or cannot give days as old. */
  | { readonly kind: 'bars'; readonly bars: readonly VenueBar[] }
  /** The venue does not know the asset: it need not be asked for its other days. */
  | { readonly kind: 'not_listed' }
  /** Some of the day could not be had: nothing of it is used, and it is asked for again. */
  | {
      readonly kind: 'incomplete'
      readonly reason: string
      /** The venue does not answer now, so waiting may help; false: what it sends makes no sense. */
      readonly isOut: boolean
      /** How long it wants to be left alone, where it says. */
      readonly retryAfterMs: number | null
    }

/** Where the bars of one venue come from, a day at a time. */
export interface DaySource {
  readonly venue: Venue
  readonly provider: Provider
  /** Rows that are no bars are left out and reported beside the answer. Throws only what is a mistake of ours. */
  ask(question: DayQuestion): Promise<{
    readonly answer: DayAnswer
    readonly rejections: readonly Rejection[]
    readonly requests: number
  }>
}
