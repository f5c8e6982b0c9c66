import { type ApiQuery, restGet } from '../client/use-query.js'
import { daysAgo } from '../parts/days-ago.js'
import { FRESHNESS, type FreshnessMeta } from '../parts/freshness.js'
import { toSeconds } from '../parts/to-seconds.js'
import type { AssetClassName } from './asset.js'

/** What a request for the prices of an asset needs. */
export interface ChartedAsset {
  readonly slug: string
  readonly ticker: string
  readonly name: string
  readonly asset_class: AssetClassName
  /** Market of the primary listing of a stock; null for other classes. */
  readonly mic: string | null
}

/** Prices over time, oldest first. */
export interface PriceSeries {
  /** Seconds since 1970. */
  readonly times: readonly number[]
  readonly prices: readonly (number | null)[]
  /** Traded in each window: USD for crypto assets, shares for stocks and ETFs; empty for commodities. */
  readonly volumes: readonly (number | null)[]
  /** Currency, or currency and unit. */
  readonly unit: string
  readonly isHourly: boolean
  /** Lowest and highest price of the newest day; null if the source has none. */
  readonly newestDay: { readonly low: number; readonly high: number } | null
  readonly meta: FreshnessMeta | null
}

/** The API returns at most this many windows, days or months at once. */
export const MAX_POINTS = 1_000

const RANGES = {
  '1': '1 day',
  '7': '7 days',
  '30': '30 days',
  '90': '90 days',
  '364': '1 year',
  '1830': '5 years',
  all: 'All',
} as const
export type ChartRange = keyof typeof RANGES

const RANGES_OF_CLASS = {
  crypto: ['1', '7', '30', '364', 'all'],
  stock: ['7', '30', '90', '364', 'all'],
  etf: ['7', '30', '90', '364', 'all'],
  commodity: ['364', '1830', 'all'],
} as const satisfies Readonly<Record<AssetClassName, readonly ChartRange[]>>

/** The ranges of a class with their names; the API has hours of crypto assets, days of listings and months of commodities. */
export function listRanges(assetClass: AssetClassName): readonly (readonly [ChartRange, string])[] {
  return RANGES_OF_CLASS[assetClass].map((range) => [range, RANGES[range]])
}

/** The range that the head of the page and its chart show first. */
export const FIRST_RANGE = {
  crypto: '7',
  stock: '30',
  etf: '30',
  commodity: '1830',
} as const satisfies Readonly<Record<AssetClassName, ChartRange>>

/** Up to this many days, a crypto asset is shown by the hour. */
const HOURLY_DAYS = 7

/** No price is older. */
const FIRST_DAY = '1960-01-01'
const FIRST_CANDLE = '2010-01-01'

/** The request for the prices of an asset over a range. */
export function buildPriceQuery(asset: ChartedAsset, range: ChartRange): ApiQuery {
  const { slug, ticker, mic, asset_class } = asset
  const day = range === 'all' ? null : daysAgo(Number(range))
  if (asset_class === 'crypto') {
    const timeframe = isHourly(range) ? 'H1' : 'D1'
    const variables = { from: `${day ?? FIRST_CANDLE}T00:00:00Z`, limit: MAX_POINTS }
    return {
      document: CANDLES,
      variables: { slug, timeframe, ...variables },
      rest: [
        restGet(`/v1/assets/${slug}/ohlcv`, { timeframe: timeframe === 'H1' ? '1h' : '1d', ...variables }),
      ],
    }
  }
  if (asset_class === 'commodity')
    return {
      document: COMMODITY,
      variables: { ticker, from: day },
      rest: [
        restGet(`/v1/commodities/${ticker}`),
        restGet(`/v1/commodities/${ticker}/prices`, { from: day, limit: MAX_POINTS }),
      ],
    }
  const variables = { from: day ?? FIRST_DAY, limit: MAX_POINTS }
  return {
    document: asset_class === 'stock' ? STOCK : ETF,
    variables: { ticker, mic, ...variables },
    rest: [
      restGet(asset_class === 'stock' ? `/v1/stocks/${ticker}/prices` : `/v1/etf/${ticker}/prices`, {
        mic,
        ...variables,
      }),
    ],
  }
}

function isHourly(range: ChartRange): boolean {
  return range !== 'all' && Number(range) <= HOURLY_DAYS
}

const CANDLES = `query Prices($slug: String!, $timeframe: Timeframe!, $from: DateTime!, $limit: Int!) {
  ohlcv(id: $slug, timeframe: $timeframe, from: $from, limit: $limit) {
    data { timeframe candles { ts vwap_usd volume_usd } }
    ${FRESHNESS}
  }
}`

const listedDocument = (field: 'stock_prices' | 'etf_prices') => `query Prices(
  $ticker: String!, $mic: String, $from: Date!, $limit: Int!
) {
  listed: ${field}(ticker: $ticker, mic: $mic, from: $from, limit: $limit) {
    data { date close low high volume currency }
    ${FRESHNESS}
  }
}`
const STOCK = listedDocument('stock_prices')
const ETF = listedDocument('etf_prices')

const COMMODITY = `query Prices($ticker: String!, $from: Date) {
  commodity(symbol: $ticker) {
    data { unit history(from: $from, limit: ${MAX_POINTS}) { price_date price_usd } }
    ${FRESHNESS}
  }
}`

/** Name of the hourly timeframe in answers. */
const HOURS = '1h'

/** The answer to a request of `buildPriceQuery`: the member of the asset's class. */
export interface PriceAnswer {
  readonly ohlcv?: {
    readonly data: {
      readonly timeframe: string
      readonly candles: readonly {
        readonly ts: string
        readonly vwap_usd: number | null
        readonly volume_usd: number | null
      }[]
    }
    readonly _meta: FreshnessMeta
  }
  readonly listed?: {
    readonly data: readonly {
      readonly date: string
      readonly close: number
      readonly low: number | null
      readonly high: number | null
      readonly volume: number | null
      readonly currency: string
    }[]
    readonly _meta: FreshnessMeta
  }
  readonly commodity?: {
    readonly data: {
      readonly unit: string
      readonly history: readonly { readonly price_date: string; readonly price_usd: number }[]
    }
    readonly _meta: FreshnessMeta
  }
}

const NO_SERIES: PriceSeries = {
  times: [],
  prices: [],
  volumes: [],
  unit: 'USD',
  isHourly: false,
  newestDay: null,
  meta: null,
}

export function toPriceSeries({ ohlcv, listed, commodity }: PriceAnswer): PriceSeries {
  if (ohlcv !== undefined) {
    const { candles, timeframe } = ohlcv.data
    return {
      ...NO_SERIES,
      times: candles.map(({ ts }) => toSeconds(ts)),
      prices: candles.map(({ vwap_usd }) => vwap_usd),
      volumes: candles.map(({ volume_usd }) => volume_usd),
      isHourly: timeframe === HOURS,
      meta: ohlcv._meta,
    }
  }
  if (listed !== undefined) {
    const { data, _meta } = listed
    const newest = data.at(-1)
    return {
      ...NO_SERIES,
      times: data.map(({ date }) => toSeconds(date)),
      prices: data.map(({ close }) => close),
      volumes: data.map(({ volume }) => volume),
      unit: newest?.currency ?? NO_SERIES.unit,
      newestDay: newest?.low == null || newest.high === null ? null : { low: newest.low, high: newest.high },
      meta: _meta,
    }
  }
  if (commodity === undefined) return NO_SERIES
  const { unit, history } = commodity.data
  return {
    ...NO_SERIES,
    times: history.map(({ price_date }) => toSeconds(price_date)),
    prices: history.map(({ price_usd }) => price_usd),
    unit: `USD per ${unit}`,
    meta: commodity._meta,
  }
}
