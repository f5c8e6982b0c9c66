import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { Method } from '../../core/method.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ asset_onchain: 'onchain' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** Version of the method in `data_methodology`. Change it together with the method. */
export const ONCHAIN_METRICS_VERSION = 'onchain-metrics-1'

/** The method of derived on-chain figures. */
export const ONCHAIN_METRICS_METHOD: Method = {
  summary:
    'Average fee, NUPL, realized price and realized capitalisation are derived from published daily figures.',
  section: 'on-chain-figures',
}

/** Share of the supply, a fraction, by the time since it last moved, e.g. `1y-2y`. */
export type HodlWaves = Readonly<Record<string, number>>

/** On-chain figures of an asset on a UTC day, as stored. Null means unknown. */
export interface OnchainDay {
  readonly assetId: number
  readonly snapshotDate: IsoDate
  /** Whole numbers. */
  readonly activeAddresses: DecimalText | null
  readonly txCount: DecimalText | null
  /** USD. */
  readonly feesTotalUsd: DecimalText | null
  readonly avgFeeUsd: DecimalText | null
  /** Units of the asset. */
  readonly circulatingSupply: DecimalText | null
  /** USD. */
  readonly realizedCapUsd: DecimalText | null
  readonly mvrvRatio: DecimalText | null
  /** Fraction, at most 1. */
  readonly nupl: DecimalText | null
  readonly sopr: DecimalText | null
  /** USD. */
  readonly realizedPriceUsd: DecimalText | null
  readonly hodlWaves: HodlWaves | null
}

/** On-chain figures as served. Numbers are the doubles nearest to the stored decimals. */
export interface OnchainFigures {
  readonly assetId: number
  readonly snapshotDate: IsoDate
  readonly activeAddresses: number | null
  readonly txCount: number | null
  readonly feesTotalUsd: number | null
  readonly avgFeeUsd: number | null
  readonly circulatingSupply: number | null
  readonly realizedCapUsd: number | null
  readonly mvrvRatio: number | null
  readonly nupl: number | null
  readonly sopr: number | null
  readonly realizedPriceUsd: number | null
  readonly hodlWaves: HodlWaves | null
  readonly methodologyVersion: string
  /** The provider, or `seed` for synthetic figures. */
  readonly source: string
}
