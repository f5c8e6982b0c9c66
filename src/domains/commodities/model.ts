import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { IsoDate } from '../../core/time.js'
import { COMMODITY_PRICE } from '../../generated/columns.js'
import { asNumbers, only, type RowOf } from '../../platform/database/statement.js'

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
export const PRICE_COLUMNS = asNumbers(only(COMMODITY_PRICE, 'symbol', 'priceDate', 'priceUsd', 'source'))
export type CommodityPrice = RowOf<typeof PRICE_COLUMNS>

/** A commodity with its newest price. */
export interface PricedCommodity extends Commodity {
  readonly price: CommodityPrice
}
