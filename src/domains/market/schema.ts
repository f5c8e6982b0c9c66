import './exchange/exchange-candle-schema.js'
import './inputs-schema.js'
import './panel/panel-schema.js'
import './stream/stream-schema.js'
import { METHODOLOGY_VERSION } from '../../core/consensus/consensus.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { ApiMetaType } from '../../schema-kit/api-meta.js'
import { builder } from '../../schema-kit/builder.js'
import {
  datasetStateOf,
  defineEnvelope,
  type Envelope,
  envelope,
  FreshnessType,
} from '../../schema-kit/envelope.js'
import { seriesEndpoint } from '../../schema-kit/series-endpoint.js'
import { instant, number, shownFields, text } from '../../schema-kit/shown-fields.js'
import { assetArguments } from '../assets/by-schema.js'
import { candleArguments } from './candles/candle-arguments-schema.js'
import { candleFreshnessKind } from './candles/candle-grains-model.js'
import { CandleType, candleStateOf, toServedCandle } from './candles/candle-schema.js'
import { CANDLE_ACCESS, candleSeries, parseCandleSeries } from './candles/candle-series-schema.js'
import { consensusMeta } from './consensus-model.js'
import { getCandles, getSupplyMethodology, type Ohlcv, toCandleQuality } from './service.js'

/** The envelope of candles with source, age, method and disclaimer. */
function envelopeOfCandles(ohlcv: Ohlcv, context: RequestContext): Envelope<Ohlcv> {
  const { candles, windows, asset } = ohlcv
  const state = candleStateOf([asset.slug], windows, context)
  return envelope(context, state, candleFreshnessKind([asset], windows, context), ohlcv, {
    ...consensusMeta(state.changedAt),
    methodology_version: METHODOLOGY_VERSION,
    data_quality: toCandleQuality(candles.map(({ vwapUsd }) => vwapUsd)),
    total: windows.total,
    // A response holds the newest windows up to the limit, so the next page holds the older ones.
    has_next: windows.total > candles.length,
  })
}

export const OhlcvResponseType = builder.objectRef<Ohlcv>('OhlcvResponse').implement({
  description:
    'Candles of one asset: every finished window of the range since its first candle, oldest first.',
  fields: (t) => ({
    asset_id: t.string({ description: 'Slug of the asset.', resolve: ({ asset }) => asset.slug }),
    ticker: t.string({ description: 'Ticker of the asset.', resolve: ({ asset }) => asset.ticker }),
    timeframe: t.string({
      description: 'Length of a window: 1h or 1d, UTC.',
      resolve: ({ windows }) => windows.timeframe,
    }),
    candles: t.field({
      type: [CandleType],
      description: 'One candle per window, without a gap.',
      resolve: ({ candles }) => candles.map(toServedCandle),
    }),
    rows: t.int({ description: 'Number of candles.', resolve: ({ candles }) => candles.length }),
    meta: t.field({
      type: ApiMetaType,
      subGraphs: ['Graph'],
      description: 'Metadata of these candles, the same as `meta` of the root field.',
      resolve: (ohlcv, _args, context) => envelopeOfCandles(ohlcv, context).meta,
    }),
    _meta: t.field({
      type: FreshnessType,
      subGraphs: ['Graph'],
      description: 'Freshness of these candles, the same as `_meta` of the root field.',
      resolve: (ohlcv, _args, context) => envelopeOfCandles(ohlcv, context)._meta,
    }),
  }),
})

const OhlcvEnvelope = defineEnvelope(OhlcvResponseType, 'OhlcvEnvelope')

seriesEndpoint('ohlcv', {
  summary: 'Prices of a crypto asset, as candles',
  keywords: [
    'candles',
    'bars',
    'hourly',
    'price history',
    'historical prices',
    'chart',
    'OHLC',
    'open high low close',
    'volume',
    'past price',
  ],
  description:
    'Consensus candles of one asset by its slug, oldest first. Every finished window is present, from the one that contains ' +
    '`from`, or the first candle of the asset, to the last one that ends at or before `to`. Returns the newest `limit` candles. If `meta.has_next` is true, the ' +
    'range has older ones: set `to` to the first `ts`. A window without enough exchanges has vwap_usd null and the status ' +
    'insufficient_sources. `meta.total` counts all windows of the range since the first candle. ' +
    CANDLE_ACCESS,
  ...candleSeries(),
  path: '/v1/assets/{id}/ohlcv',
  table: { rows: 'data.candles', total: 'meta.total' },
  type: OhlcvEnvelope,
  args: (arg) => ({
    ...assetArguments(arg),
    ...candleArguments(arg),
  }),
  check: parseCandleSeries,
  resolve: async ({ slug, query }, context) => {
    datasetStateOf(context, 'candles')
    return envelopeOfCandles(await getCandles(slug, query, context), context)
  },
})

export const SupplyType = builder.prismaObject('AssetSupply', {
  select: { assetId: true, supply: true, source: true, observedAt: true },
  description: 'Supply of an asset according to its source.',
  fields: (t) =>
    shownFields(t, {
      value: number('Number of units of the asset.', 'supply'),
      source: text('Source of the supply. `seed` marks synthetic data.'),
      observed_at: instant('When the source counted the units.', 'observedAt'),
      methodology: t.string({
        nullable: true,
        description:
          'How the source determined the supply: the rule, the contract and block, or the file, and which parts are estimated. Null if the source does not state it.',
        resolve: (supply, _args, context) => getSupplyMethodology(supply, context),
      }),
    }),
})
