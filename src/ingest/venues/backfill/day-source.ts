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
  /** All bars of the day; empty if the venue had none or does not serve days this old. */
  | { readonly kind: 'bars'; readonly bars: readonly VenueBar[] }
  /** The venue does not know the asset, so its other days need no request. */
  | { readonly kind: 'not_listed' }
  /** Part of the day could not be loaded. Nothing of it is used, and the next run requests it again. */
  | {
      readonly kind: 'incomplete'
      readonly reason: string
      /** Whether waiting may help because the venue does not answer; false if its answers cannot be read. */
      readonly isOut: boolean
      /** The pause that the venue asks for, if it states one. */
      readonly retryAfterMs: number | null
    }

/** The counts of an answer. */
export interface DayReading {
  /** Rows, plus bodies that were refused whole: bars of the answer + rejections + absent. */
  readonly read: number
  readonly rejections: readonly Rejection[]
  /** Rows outside the day, duplicates, and bars of a day that is not used. */
  readonly absent: number
  readonly requests: number
}

export const NOTHING_READ: DayReading = { read: 0, rejections: [], absent: 0, requests: 0 }

/** Loads the bars of one venue day by day. */
export interface DaySource {
  readonly venue: BarVenue
  readonly provider: Provider
  /** Rows that are not bars are rejected beside the answer. Throws only for errors of the gateway. */
  ask(question: DayQuestion): Promise<DayReading & { readonly answer: DayAnswer }>
}

/** The bars of a day. A day with nothing but rejected rows is not done. */
export function toDayAnswer(bars: readonly VenueBar[], rejections: readonly Rejection[]): DayAnswer {
  const [first] = rejections
  if (bars.length > 0 || first === undefined) return { kind: 'bars', bars }
  return { kind: 'incomplete', reason: first.reason, isOut: false, retryAfterMs: null }
}
