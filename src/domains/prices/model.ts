import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ prices: 'sessions of XNYS' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** What a provider states of a listing on a trading day, as traded: not adjusted for later splits or dividends. */
export interface DailyPrice {
  readonly instrumentId: number
  readonly date: IsoDate
  /** Id of the provider. */
  readonly source: string
  /** Prices of one share, above zero. Null if the source does not state them. */
  readonly open: DecimalText | null
  readonly high: DecimalText | null
  readonly low: DecimalText | null
  readonly close: DecimalText
  /** Shares traded, a whole number. Null if the source does not state it. */
  readonly volume: DecimalText | null
  /** ISO 4217. */
  readonly currency: string
}

/** A listing that can have prices. */
export interface PricedListing {
  readonly instrumentId: number
  /** Upper case. */
  readonly ticker: string
  /** Null without a market. */
  readonly mic: string | null
  /** As a list names it, e.g. NYSE, which may mean several markets. Null if no list names it. */
  readonly exchange: string | null
}
