import './inputs-schema.js'
import './stream-schema.js'
import { METHODOLOGY_VERSION } from '../../core/consensus/consensus.js'
import { Decimal, toJsonNumber } from '../../core/decimal.js'
import { freshnessKindOfTier } from '../../core/freshness.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { CANDLE_HISTORY_DAYS } from '../../policy/limits.js'
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
import { slugArgument } from '../../schema-kit/shared-arguments.js'
import { parseAssetId } from '../assets/service.js'
import { candleArguments } from './candle-arguments-schema.js'
import { olderWindowsArguments, parseCandleQuery } from './candle-query-service.js'
import { CandleType, servedCandle } from './candle-schema.js'
import { consensusMeta } from './consensus-model.js'
import type { AssetSupplyFigure } from './latest-model.js'
import { windowCount } from './model.js'
import { getCandles, getSupplyMethodology, type Ohlcv, toCandleQuality } from './service.js'

/** Candles with source, age, method and disclaimer. */
function envelopeOfCandles(ohlcv: Ohlcv, context: RequestContext): Envelope<Ohlcv> {
  const state = datasetStateOf(context, 'candles')
  const { candles, windows, asset } = ohlcv
  return envelope(context, state, freshnessKindOfTier(asset.tier), ohlcv, {
    ...consensusMeta(state.changedAt),
    methodology_version: METHODOLOGY_VERSION,
    data_quality: toCandleQuality(ohlcv),
    total: windows.total,
    // Of more windows than the limit the newest are given: the older ones are the next page.
    has_next: windows.total > candles.length,
  })
}

export const OhlcvResponseType = builder.objectRef<Ohlcv>('OhlcvResponse').implement({
  description: 'Candles of one asset: every finished window of the range, oldest first.',
  fields: (t) => ({
    asset_id: t.string({ description: 'Slug of the asset.', resolve: ({ asset }) => asset.slug }),
    ticker: t.string({ description: 'Ticker of the asset.', resolve: ({ asset }) => asset.ticker }),
    timeframe: t.string({
      description: 'Length of a window: 1h or 1d, UTC.',
      resolve: ({ windows }) => windows.timeframe,
    }),
    candles: t.field({
      type: [CandleType],
      description: 'One per window, without a gap.',
      resolve: ({ candles }) => candles.map(servedCandle),
    }),
    rows: t.int({ description: 'Number of candles.', resolve: ({ candles }) => candles.length }),
    meta: t.field({
      type: ApiMetaType,
      subGraphs: ['Graph'],
      description: 'What is known about these candles; the same as `meta` of the root field.',
      resolve: (ohlcv, _args, context) => envelopeOfCandles(ohlcv, context).meta,
    }),
    _meta: t.field({
      type: FreshnessType,
      subGraphs: ['Graph'],
      description: 'How fresh these candles are; the same as `_meta` of the root field.',
      resolve: (ohlcv, _args, context) => envelopeOfCandles(ohlcv, context)._meta,
    }),
  }),
})

const OhlcvEnvelope = defineEnvelope(OhlcvResponseType, 'OhlcvEnvelope')

seriesEndpoint('ohlcv', {
  summary: 'Candles of an asset',
  description:
    'Consensus candles of one asset by its slug. Every window that has ended is present, from the one that holds `from` ' +
    'to the last that ends at or before `to`, oldest first; of more than `limit` windows the newest, with `meta.has_next` true: the older ones are had by `to` = the first `ts`. A window without ' +
    'enough exchanges has vwap_usd null and says insufficient_sources. `meta.total` counts all windows of the range. ' +
    `An asset that no venue trades is a 404. 1h needs ohlcv:intraday; windows older than ${CANDLE_HISTORY_DAYS} days need history:full: without it such a request is refused, never cut.`,
  access: 'caller',
  partScopes: ['ohlcv:intraday', 'history:full'],
  path: '/v1/assets/{id}/ohlcv',
  tag: 'candles',
  table: { rows: 'data.candles', total: 'meta.total' },
  errors: ['forbidden', 'not_found'],
  reads: ['instruments', 'candles'],
  type: OhlcvEnvelope,
  args: (arg) => ({
    id: slugArgument(arg),
    ...candleArguments(arg),
  }),
  check: (args, context) => ({ slug: parseAssetId(args.id), query: parseCandleQuery(args, context) }),
  rows: ({ query }) => windowCount(query.windows),
  nextPage: ({ query }) => olderWindowsArguments(query.windows),
  resolve: async ({ slug, query }, context) => {
    datasetStateOf(context, 'candles')
    return envelopeOfCandles(await getCandles(slug, query, context), context)
  },
})

export const SupplyType = builder.objectRef<AssetSupplyFigure>('AssetSupply').implement({
  description: 'Units of an asset, as the source named counts them.',
  fields: (t) => ({
    value: t.float({
      description: 'Units of the asset.',
      resolve: ({ supply }) => toJsonNumber(new Decimal(supply)),
    }),
    source: t.exposeString('source', { description: 'Who counted; `seed` is synthetic.' }),
    observed_at: t.expose('observedAt', { type: 'DateTime', description: 'When it was counted.' }),
    methodology: t.string({
      nullable: true,
      description:
        'How it was found out: by which rule, contract and block, or file, and what is estimated. Null where the source does not say.',
      resolve: (supply, _args, context) => getSupplyMethodology(supply, context),
    }),
  }),
})
