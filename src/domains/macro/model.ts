import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import { type RefreshedKind, toRefreshedKind } from '../../core/freshness.js'
import type { Frequency } from '../../core/period.js'
import { MACRO_PUBLISHERS, type MacroProvider } from '../../core/providers.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets(
  // Safe: each publisher has an entry.
  Object.fromEntries(MACRO_PUBLISHERS.map(({ id, refresh }) => [id, toRefreshedKind(refresh)])) as Record<
    MacroProvider,
    RefreshedKind
  >,
)

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** A series as its provider's catalogue describes it. */
export interface MacroSeries {
  readonly provider: MacroProvider
  /** The provider's dataset, e.g. WS_TC. */
  readonly dataset: string
  /** Unique within the dataset, e.g. Q.US.P.A.M.770.A. */
  readonly seriesKey: string
  /** Country or group of countries, by the provider's code. Null if the series has none. */
  readonly country: string | null
  /** Null if the body does not state it. The stored unit then stays. */
  readonly unit: string | null
  readonly frequency: Frequency
  /** The provider's title. Null if the body does not state it. The stored title then stays. */
  readonly description: string | null
  /** True if the catalogue of its provider shows it. For the BIS this is one series per country and dataset. It never becomes false. */
  readonly isHeadline: boolean
}

/** One observation. All rows of a series share the object that describes the series. */
export interface MacroObservation {
  readonly series: MacroSeries
  /** First day of the period. */
  readonly periodStart: IsoDate
  /** In the unit of the series. Null if the provider lists the period without a value. */
  readonly value: DecimalText | null
  /** What the provider says about the value, such as `P: preliminary`; a change of it is a revision. Absent or null if nothing. */
  readonly note?: string | null
  /** True if the body holds the whole series. Periods that it does not list were then withdrawn. */
  readonly isOfWholeSeries: boolean
  /** True if the body has an unreadable value for the period. The stored value then stays. */
  readonly isUnread?: true
}

/** A series that its provider lists without an observation. */
export interface ListedSeries {
  readonly series: MacroSeries
  readonly periodStart: null
}

/** A fact of a body: an observation, or the existence of a series. */
export type MacroFact = MacroObservation | ListedSeries

/** Every publisher, in the order of the table. */
export const MACRO_PROVIDERS: readonly MacroProvider[] = MACRO_PUBLISHERS.map(({ id }) => id)

/** The publisher of a stored series. */
export function storedProvider(text: string): MacroProvider {
  const provider = MACRO_PROVIDERS.find((known) => known === text)
  if (provider === undefined) throw new Error(`${text} publishes no macro series`)
  return provider
}
