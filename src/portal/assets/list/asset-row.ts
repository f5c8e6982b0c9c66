import { daysAgo } from '../../parts/days-ago.js'
import { type AssetPriceChanges, PRICE_CHANGES } from '../price-changes.js'

/** An asset of the list. Members that only other classes have, or that the caller may not see, are null or absent. */
export interface AssetRow {
  readonly slug: string
  readonly ticker: string
  readonly name: string
  readonly asset_class: string
  readonly tier: number | null
  readonly market_cap_derived_usd: number | null
  readonly last_updated: string
  readonly price_changes: AssetPriceChanges
  /** Days of a crypto asset. */
  readonly ohlcv?: { readonly candles: readonly Candle[] } | null
  /** Days of an asset of any class but commodities. */
  readonly prices?: readonly { readonly price: number | null }[] | null
  readonly commodity?: CommodityMonth | null
  readonly stock?: { readonly latest_figures: TrailingYear | null } | null
}

/** Twelve months of a company. */
interface TrailingYear {
  readonly revenue_usd: number | null
  readonly net_income_usd: number | null
}

/** The figures of a `TrailingYear`, which are orders of `stocks` too. */
export type TrailingFigure = keyof TrailingYear

interface Candle {
  readonly vwap_usd: number | null
  readonly volume_usd: number | null
}

interface CommodityMonth {
  readonly price_usd: number
  readonly price_date: string
  readonly unit: string
  /** Oldest first. */
  readonly history?: readonly { readonly price_usd: number }[] | null
}

/** The days of the trend. */
const TREND_DAYS = 31

/** A year ago and the months since. */
const MONTHS = 13

/** The members of a class that the trend, and the columns of the class, need. */
function toMembers(assetClass: string): string {
  if (assetClass === 'crypto')
    return `ohlcv(timeframe: D1, limit: ${TREND_DAYS}) { candles { vwap_usd volume_usd } }`
  if (assetClass === 'commodity')
    return `commodity { price_usd price_date unit history(limit: ${MONTHS}) { price_usd } }`
  const prices = `prices(from: "${daysAgo(TREND_DAYS)}", limit: ${TREND_DAYS}) { price }`
  if (assetClass === 'all') return `${prices} commodity { price_usd price_date unit }`
  return assetClass === 'stock'
    ? `${prices} stock { latest_figures(period: ttm) { revenue_usd net_income_usd } }`
    : prices
}

function toRowSelection(assetClass: string): string {
  return `slug ticker name asset_class tier market_cap_derived_usd last_updated
      ${PRICE_CHANGES}
      ${toMembers(assetClass)}`
}

/** All stocks in the order of a figure of twelve months. */
export const STOCKS_BY_FIGURE = `query Stocks($sort: StockSort!, $period: FundamentalsPeriod!, $order: SortOrder!, $limit: Int!, $offset: Int!) {
  assets: stocks(sort: $sort, period: $period, order: $order, limit: $limit, offset: $offset) {
    data {
      asset {
      ${toRowSelection('stock')}
      }
    }
    meta { total }
    _meta { freshness_status last_updated_at sources }
  }
}`

/** The list of a class with the prices of a month; all of them are one request. */
export function toListDocument(assetClass: string): string {
  return `query Assets(
  $asset_class: AssetClass, $tier: Int, $q: String, $sort: AssetSort, $order: SortOrder, $limit: Int!, $offset: Int!
) {
  assets(
    asset_class: $asset_class, tier: $tier, q: $q, sort: $sort, order: $order, limit: $limit, offset: $offset
  ) {
    data {
      ${toRowSelection(assetClass)}
    }
    meta { total }
    _meta { freshness_status last_updated_at sources }
  }
}`
}

/** The prices of the trend, oldest first. */
export function toTrend({ ohlcv, prices, commodity, price_changes }: AssetRow): readonly (number | null)[] {
  if (commodity) return commodity.history?.map(({ price_usd }) => price_usd) ?? []
  if (ohlcv) return [...ohlcv.candles.map(({ vwap_usd }) => vwap_usd), price_changes.price]
  return prices?.map(({ price }) => price) ?? []
}
