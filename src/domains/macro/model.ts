import type { DecimalText } from '../../core/decimal.js'
import type { Frequency } from '../../core/period.js'
import type { IsoDate } from '../../core/time.js'

/** Who publishes the series of the store. */
export type MacroProvider = 'bis'

/** A series as its provider's catalogue describes it. */
export interface MacroSeries {
  readonly provider: MacroProvider
  /** The provider's dataset, e.g. WS_TC. */
  readonly dataset: string
  /** Unique within the dataset, e.g. Q.US.P.A.M.770.A. */
  readonly seriesKey: string
  /** Country or group of countries, by the provider's code; null where the series has none. */
  readonly country: string | null
  /** Null where the body does not say: what was known before stays. */
  readonly unit: string | null
  readonly frequency: Frequency
  /** The provider's title; null as for the unit. */
  readonly description: string | null
  /** The one series of its country that the catalogue of the dataset shows. */
  readonly isHeadline: boolean
}

/** One observation; all rows of a series share the object that describes it. */
export interface MacroObservation {
  readonly series: MacroSeries
  /** First day of the period. */
  readonly periodStart: IsoDate
  /** In the unit of the series; null: the provider lists the period without a value. */
  readonly value: DecimalText | null
  /** The body holds the whole series: what it does not list was withdrawn. */
  readonly isOfWholeSeries: boolean
}
