import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ commodities: 'monthly' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** The quantities that prices are for. */
export const COMMODITY_UNITS = [
  'barrel',
  'cubic meter',
  'kilogram',
  'metric ton',
  'million British thermal units',
  'pound',
  'troy ounce',
] as const

/** A commodity whose prices are stored. */
export interface Commodity {
  /** Ticker of the instrument master, else the code of the IMF; upper case. */
  readonly symbol: string
  readonly name: string
  /** The quantity that the price is for. */
  readonly unit: (typeof COMMODITY_UNITS)[number]
  /** Slug of the asset in the instrument master. Null if it is not in the master. */
  readonly slug: string | null
}

/** The average price of a month. */
export interface CommodityPriceRow {
  readonly symbol: string
  /** First day of the month. */
  readonly priceDate: IsoDate
  /** USD per unit of the commodity, above zero. */
  readonly priceUsd: DecimalText
}

/** A price as served. The number is the double nearest to the stored decimal. */
export interface CommodityPrice {
  readonly symbol: string
  readonly priceDate: IsoDate
  readonly priceUsd: number
  /** The provider, or `seed` for a synthetic price. */
  readonly source: string
}

/** A commodity with its newest price. */
export interface PricedCommodity extends Commodity {
  readonly price: CommodityPrice
}
