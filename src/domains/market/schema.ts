import './inputs-schema.js'
import { METHODOLOGY_VERSION } from '../../core/consensus.js'
import { Decimal, toJsonNumber } from '../../core/decimal.js'
import { freshnessKindOfTier } from '../../core/freshness.js'
import { ApiMetaType } from '../../graphql/api-meta.js'
import { builder } from '../../graphql/builder.js'
import { type Envelope, envelope, envelopeOf, FreshnessType, stateOf } from '../../graphql/envelope.js'
import { seriesEndpoint } from '../../graphql/series-endpoint.js'
import { slugArgument } from '../../graphql/shared-arguments.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { CANDLE_HISTORY_DAYS } from '../../policy/limits.js'
import { parseAssetId } from '../assets/service.js'
import { ConsensusStatusType, candleArguments } from './candle-arguments-schema.js'
import { olderWindowsArguments, parseCandleQuery } from './candle-query-service.js'
import { CONSENSUS_META } from './consensus-model.js'
import type { AssetSupplyFigure } from './latest-model.js'
import { windowCount } from './model.js'
import type { CandleFigures } from './series-store.js'
import { candleQualityOf, candleStatusOf, getCandles, type Ohlcv, supplyMethodologyOf } from './service.js'

const NOT_IN_THIS_VERSION =
  'Always null in this version: exchanges have extremes of their own, and no consensus of them is defined; vwap_usd is the price of the window.'

/** A candle under the names of the answer: executors read members of a field's own name without a resolver. */
function servedCandle({ ts, vwapUsd, volumeUsd, exchangesCount, maxSourceWeight }: CandleFigures) {
  return {
    ts,
    open: null,
    high: null,
    low: null,
    close: null,
    vwap_usd: vwapUsd,
    volume_usd: volumeUsd,
    exchanges_count: exchangesCount,
    max_source_weight_pct: maxSourceWeight,
    consensus_status: candleStatusOf(vwapUsd),
  }
}

const CandleType = builder.objectRef<ReturnType<typeof servedCandle>>('Candle').implement({
  description: 'The consensus of one window over several exchanges.',
  fields: (t) => {
    const none = { type: 'Float', nullable: true, description: NOT_IN_THIS_VERSION } as const
    return {
      ts: t.expose('ts', {
        type: 'DateTime',
        description: 'Start of the window; it ends where the next begins.',
      }),
      open: t.expose('open', none),
      high: t.expose('high', none),
      low: t.expose('low', none),
      close: t.expose('close', none),
      vwap_usd: t.exposeFloat('vwap_usd', {
        nullable: true,
        description: 'Volume-weighted consensus price of the window, USD. Null with insufficient_sources.',
      }),
      volume_usd: t.exposeFloat('volume_usd', {
        nullable: true,
        description: 'Value traded at the exchanges used, USD. Null with insufficient_sources.',
      }),
      exchanges_count: t.exposeInt('exchanges_count', {
        description:
          'Exchanges that passed every rule: at least 3 when ok, fewer otherwise, 0 where nothing is stored.',
      }),
      max_source_weight_pct: t.exposeFloat('max_source_weight_pct', {
        nullable: true,
        description:
          'Largest share of one exchange in volume_usd: a fraction from 0 to 0.5, not a percentage. Null with insufficient_sources.',
      }),
      consensus_status: t.expose('consensus_status', {
        type: ConsensusStatusType,
        description: 'ok, or insufficient_sources when fewer than 3 exchanges were left.',
      }),
    }
  },
})

/** Candles with source, age, method and disclaimer. */
function envelopeOfCandles(ohlcv: Ohlcv, context: RequestContext): Envelope<Ohlcv> {
  const state = stateOf(context, 'candles')
  const { candles, windows, asset } = ohlcv
  return envelope(context, state, freshnessKindOfTier(asset.tier), ohlcv, {
    ...CONSENSUS_META,
    computed_at: state.changedAt,
    methodology_version: METHODOLOGY_VERSION,
    data_quality: candleQualityOf(ohlcv),
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
      nullable: true,
      subGraphs: ['Graph'],
      description: 'How fresh these candles are; the same as `_meta` of the root field.',
      resolve: (ohlcv, _args, context) => envelopeOfCandles(ohlcv, context)._meta,
    }),
  }),
})

const OhlcvEnvelope = envelopeOf('OhlcvEnvelope', OhlcvResponseType)

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
    stateOf(context, 'candles')
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
      resolve: (supply, _args, context) => supplyMethodologyOf(supply, context),
    }),
  }),
})
