import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { Method } from '../../core/method.js'
import type { IsoDate } from '../../core/time.js'
import { ASSET_FUNDAMENTALS } from '../../generated/columns.js'
import { asNumbers, type RowOf, without } from '../../platform/database/statement.js'

const DATASETS = registerDatasets({ protocols: 'daily' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** Version of `PROTOCOL_FUNDAMENTALS_METHOD`. Change it together with the method. */
export const PROTOCOL_FUNDAMENTALS_VERSION = 'fundamentals-1'

/** The method of fees, revenue and the ratios to them. */
export const PROTOCOL_FUNDAMENTALS_METHOD: Method = {
  summary: 'Fees and revenue of 30 days × 12; ratio = market capitalisation / annualized figure.',
  section: 'fees-and-revenue-of-protocols',
}

/** A protocol or chain that earns fees. */
export interface Protocol {
  /** Unique lower-case name. */
  readonly protocolId: string
  readonly name: string
  readonly category: string | null
  readonly chains: readonly string[]
}

export interface TvlFigures {
  readonly tvlUsd: DecimalText
  /** Per cent. */
  readonly change1dPct: DecimalText | null
  readonly change7dPct: DecimalText | null
}

export const MEASURES = ['fees', 'revenue'] as const

/** Fees are what users paid. Revenue is the part that the protocol kept. */
export type Measure = (typeof MEASURES)[number]

/** Totals in USD for the time up to the reading. */
export interface EconomicsFigures {
  readonly measure: Measure
  readonly total24hUsd: DecimalText | null
  readonly total7dUsd: DecimalText | null
  readonly total30dUsd: DecimalText | null
}

/** The figures of a protocol on a UTC day, from one body. A member is null if the body has no figures of that kind. */
export interface ProtocolFact {
  readonly protocol: Protocol
  readonly snapshotDate: IsoDate
  readonly tvl: TvlFigures | null
  readonly economics: EconomicsFigures | null
}

/** Fundamentals of an asset as served. Numbers are the doubles nearest to the stored decimals. */
export const FUNDAMENTALS_COLUMNS = asNumbers(without(ASSET_FUNDAMENTALS, 'knownFrom', 'knownTo'))
export type FundamentalsFigures = RowOf<typeof FUNDAMENTALS_COLUMNS>
