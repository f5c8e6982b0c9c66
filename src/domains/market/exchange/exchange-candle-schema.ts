import type { Venue } from '../../../core/consensus/venue-symbols.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { builder } from '../../../schema-kit/builder.js'
import { describedEnum } from '../../../schema-kit/described-enum.js'
import { datasetStateOf, defineListEnvelope, envelope } from '../../../schema-kit/envelope.js'
import { hints } from '../../../schema-kit/fields.js'
import { seriesEndpoint } from '../../../schema-kit/series-endpoint.js'
import { instant, number, shownAs, shownFields, text } from '../../../schema-kit/shown-fields.js'
import { assetArguments } from '../../assets/by-schema.js'
import { candleArguments } from '../candles/candle-arguments-schema.js'
import { candleFreshnessKind } from '../candles/candle-grains-model.js'
import { candleStateOf } from '../candles/candle-schema.js'
import {
  CANDLE_ACCESS,
  type CandleSeriesQuery,
  candleSeries,
  parseCandleSeries,
} from '../candles/candle-series-schema.js'
import { toCandleQuality } from '../service.js'
import { type ExchangeSeries, type ExchangeWindow, getExchangeCandles } from './exchange-candle-service.js'

const NAMES = {
  binance: 'Binance',
  bitstamp: 'Bitstamp',
  coinbase: 'Coinbase',
  kraken: 'Kraken',
  okx: 'OKX',
} as const satisfies Readonly<Record<Venue, string>>

const ExchangeType = describedEnum('Exchange', 'An exchange that prices come from.', NAMES)

const NoPricesType = describedEnum('NoExchangePrices', 'Why a window has no prices of the exchange.', {
  no_trades: 'Nothing was traded there in the window.',
  not_loaded: 'The bars of the exchange for the window were not loaded, or it does not list the asset.',
  not_kept: 'Hours of assets of tier 3 keep no prices of single exchanges; ask for days.',
})

function toServed({ ts, prices, reason }: ExchangeWindow) {
  const figure = (text: string | undefined) => (text === undefined ? null : Number(text))
  return {
    ts,
    open: figure(prices?.open),
    high: figure(prices?.high),
    low: figure(prices?.low),
    close: figure(prices?.close),
    volume: figure(prices?.volume),
    quote_volume: figure(prices?.quoteVolume),
    quote_currency: prices?.quoteCurrency ?? null,
    reason,
  }
}

const PRICE = 'in quote_currency. Null with a reason.'

const ExchangeCandleType = builder.objectRef<ReturnType<typeof toServed>>('ExchangeCandle').implement({
  description: 'What one asset traded at on one exchange in one window.',
  fields: (t) =>
    shownFields(t, {
      ts: instant('Start of the window. It ends at the start of the next window.'),
      open: number.orNull(`First price, ${PRICE}`),
      high: number.orNull(`Highest price, ${PRICE}`),
      low: number.orNull(`Lowest price, ${PRICE}`),
      close: number.orNull(`Last price, ${PRICE}`),
      volume: number.orNull('Units of the asset that were traded. Null with a reason.'),
      quote_volume: number.orNull(
        `Turnover, ${PRICE} Bitstamp and Coinbase do not state it: for them it is the sum over all minutes of (high + low + close) / 3 × volume.`,
      ),
      quote_currency: text.orNull('USD, USDT or USDC: what the exchange is paid in. Null with a reason.'),
      reason: shownAs(NoPricesType).orNull('Why the window has no prices. Null with prices.'),
    }),
})

function envelopeOfSeries(series: ExchangeSeries, context: RequestContext) {
  const { asset, windows, candles } = series
  const state = candleStateOf([asset.slug], windows, context)
  return envelope(context, state, candleFreshnessKind([asset], windows, context), candles.map(toServed), {
    price_type: 'exchange_trades',
    data_quality: qualityOf(candles),
    total: windows.total,
    // A response holds the newest windows up to the limit, so the next page holds the older ones.
    has_next: windows.total > candles.length,
  })
}

function qualityOf(candles: readonly ExchangeWindow[]) {
  return toCandleQuality(candles.map(({ prices }) => (prices === null ? null : 1)))
}

interface ExchangeQuery extends CandleSeriesQuery {
  readonly exchange: Venue
}

seriesEndpoint('exchange_candles', {
  summary: 'Prices of a crypto asset at one exchange, as candles',
  keywords: ['open high low close', 'OHLC', 'OHLCV', 'candlesticks', ...Object.values(NAMES)],
  description:
    'Open, high, low, close and volume of one asset on one exchange, oldest first, in the currency that the exchange is paid in. ' +
    'They are computed from the one-minute bars behind the consensus, so a window has them where the exchange is part of its candle: ' +
    'days of all assets, hours of tiers 1 and 2. Every finished window is present, as in `ohlcv`; one without prices says why. ' +
    `Windows and limits are those of \`ohlcv\`. ${CANDLE_ACCESS}`,
  ...candleSeries<ExchangeQuery>(),
  path: '/v1/assets/{id}/exchanges/{exchange}/ohlcv',
  table: { rows: 'data', total: 'meta.total' },
  type: defineListEnvelope(ExchangeCandleType),
  args: (arg) => ({
    ...assetArguments(arg),
    exchange: arg({
      type: ExchangeType,
      required: true,
      description: 'The exchange.',
      ...hints({ example: 'binance' }),
    }),
    ...candleArguments(arg),
  }),
  check: async (args, context) => ({
    ...(await parseCandleSeries(args, context)),
    exchange: args.exchange,
  }),
  resolve: async ({ slug, exchange, query }, context) => {
    datasetStateOf(context, 'candles')
    return envelopeOfSeries(await getExchangeCandles(slug, exchange, query, context), context)
  },
})
