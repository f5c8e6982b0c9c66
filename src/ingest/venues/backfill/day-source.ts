import type { BarVenue, TradedAsset } from '../../../core/consensus/venue-symbols.js'
import type { VenueBar } from '../../../core/consensus/venue-vwap.js'
import type { Provider } from '../../feed.js'
import type { Rejection } from '../../run/ledger.js'

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

/** What was read for an answer. */
export interface DayReading {
  /** Rows, and bodies that are refused whole: bars of the answer + rejections + absent. */
  readonly read: number
  readonly rejections: readonly Rejection[]
  /** Rows of other times, doubles, and bars of a day that is not used. */
  readonly absent: number
  readonly requests: number
}

export const NOTHING_READ: DayReading = { read: 0, rejections: [], absent: 0, requests: 0 }

/** Where the bars of one venue come from, a day at a time. */
export interface DaySource {
  readonly venue: BarVenue
  readonly provider: Provider
  /** Rows that are no bars are left out and reported beside the answer. Throws only what is a mistake of ours. */
  ask(question: DayQuestion): Promise<DayReading & { readonly answer: DayAnswer }>
}

/** The bars of a day; a day of which nothing but refused rows came is not done. */
export function toDayAnswer(bars: readonly VenueBar[], rejections: readonly Rejection[]): DayAnswer {
  const [first] = rejections
  if (bars.length > 0 || first === undefined) return { kind: 'bars', bars }
  return { kind: 'incomplete', reason: first.reason, isOut: false, retryAfterMs: null }
}
