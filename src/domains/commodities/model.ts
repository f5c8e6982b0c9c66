import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { DecimalText } from '../../core/decimal.js'
import type { IsoDate } from '../../core/time.js'

const DATASETS = registerDatasets({ commodities: 'monthly' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** What one price is the price of. */
export type CommodityUnit =
  | 'barrel'
  | 'cubic meter'
  | 'kilogram'
  | 'metric ton'
  | 'million British thermal units'
  | 'pound'
  | 'troy ounce'

/** A commodity that prices are kept of. */
export interface Commodity {
  /** Ticker of the instrument master, else the code of the IMF; upper case. */
  readonly symbol: string
  readonly name: string
  readonly unit: CommodityUnit
  /** Of the asset in the instrument master; null: it has none. */
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

/** A price as it is answered; the number is the double nearest to the stored decimal. */
export interface CommodityPrice {
  readonly symbol: string
  readonly priceDate: IsoDate
  readonly priceUsd: number
  /** Provider, or seed. */
  readonly source: string
}

/** A commodity with its newest price. */
export interface PricedCommodity extends Commodity {
  readonly price: CommodityPrice
}
