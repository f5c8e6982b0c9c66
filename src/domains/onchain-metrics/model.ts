import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { Method } from '../../core/method.js'
import { ASSET_ONCHAIN } from '../../generated/columns.js'
import { asNumbers, column, type RowOf, without } from '../../platform/database/statement.js'

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

const FIGURES = without(ASSET_ONCHAIN, 'methodologyVersion', 'source', 'knownFrom', 'knownTo')

/** On-chain figures of an asset on a UTC day, as stored: decimals, null if unknown. */
export type OnchainDay = {
  readonly [Name in keyof typeof FIGURES]: Name extends 'assetId' | 'snapshotDate'
    ? RowOf<typeof FIGURES>[Name]
    : Name extends 'hodlWaves'
      ? HodlWaves | null
      : DecimalText | null
}

/** On-chain figures as served. Numbers are the doubles nearest to the stored decimals. */
export const ONCHAIN_COLUMNS = {
  ...asNumbers(without(ASSET_ONCHAIN, 'knownFrom', 'knownTo')),
  // The cast is safe: only writeOnchainDays writes this column.
  hodlWaves: column<HodlWaves | null>('jsonb?'),
} as const
export type OnchainFigures = RowOf<typeof ONCHAIN_COLUMNS>
