import { METHODOLOGY_TEXT, METHODOLOGY_VERSION } from '../../core/consensus.js'
import { Decimal, toJsonNumber } from '../../core/decimal.js'
import { freshnessKindOfTier } from '../../core/freshness.js'
import { builder } from '../../graphql/builder.js'
import { envelope, envelopeOf, stateOf } from '../../graphql/envelope.js'
import { type ArgBuilder, edge, hints, queryEndpoint } from '../../graphql/fields.js'
import { CANDLE_HISTORY_DAYS } from '../../policy/limits.js'
import { AssetCardType, ConsensusStatusType } from '../assets/schema.js'
import { getAsset, parseAssetId } from '../assets/service.js'
import {
  CANDLE_DEFAULT_DAYS,
  CANDLE_LIMITS,
  type CandleArguments,
  parseCandleQuery,
  parseInputsQuery,
} from './candle-query.js'
import type { CandleFigures, SupplyFigure } from './series-store.js'
import {
  type ConsensusInputs,
  getCandles,
  getConsensusInputs,
  type Ohlcv,
  qualityOf,
  statusOf,
  supplyOf,
} from './service.js'
import type { StoredSource } from './store.js'

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
    consensus_status: statusOf(vwapUsd),
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

const OhlcvResponseType = builder.objectRef<Ohlcv>('OhlcvResponse').implement({
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
  }),
})

const OhlcvEnvelope = envelopeOf('OhlcvEnvelope', OhlcvResponseType)

const candleArguments = (arg: ArgBuilder) => ({
  timeframe: arg.string({
    defaultValue: '1d',
    description: 'Length of a window: 1h (needs ohlcv:intraday) or 1d.',
    ...hints({ example: '1d', maxLength: 2 }),
  }),
  from: arg({
    type: 'DateTime',
    description: 'First instant: the window that holds it is the first. A day alone means its start.',
    ...hints({ defaultText: `${CANDLE_DEFAULT_DAYS} days before \`to\``, example: '2026-11-01T00:00:00Z' }),
  }),
  to: arg({
    type: 'DateTime',
    description:
      'Last instant: the last window is the last that has ended by then. A day alone means its start.',
    ...hints({ defaultText: 'now', example: '2026-11-20T00:00:00Z' }),
  }),
  limit: arg.int({
    defaultValue: CANDLE_LIMITS.default,
    description: 'Most candles of an answer: of more windows the newest are given.',
    ...hints({ minimum: CANDLE_LIMITS.min, maximum: CANDLE_LIMITS.max }),
  }),
  as_of: arg({
    type: 'DateTime',
    description: 'Gives what was known at this instant, before later revisions. Not in the future.',
    ...hints({ defaultText: 'now', example: '2026-11-20T00:00:00Z' }),
  }),
})

queryEndpoint('ohlcv', {
  summary: 'Candles of an asset',
  description:
    'Consensus candles of one asset by its slug. Every window that has ended is present, from the one that holds `from` ' +
    'to the last that ends at or before `to`, oldest first; of more than `limit` windows the newest. A window without ' +
    'enough exchanges has vwap_usd null and says insufficient_sources. `meta.total` counts all windows of the range. ' +
    `1h needs ohlcv:intraday; windows older than ${CANDLE_HISTORY_DAYS} days need history:full: without it such a request is refused, never cut.`,
  access: 'caller',
  cost: 'metered',
  rest: {
    method: 'GET',
    path: '/v1/assets/{id}/ohlcv',
    tag: 'candles',
    series: { rows: 'data.candles' },
  },
  errors: ['forbidden', 'not_found'],
  reads: ['instruments', 'candles'],
  type: OhlcvEnvelope,
  args: (arg) => ({
    id: arg.string({
      required: true,
      description: 'Slug of the asset: its lower-case name.',
      ...hints({ example: 'bitcoin', maxLength: 64 }),
    }),
    ...candleArguments(arg),
  }),
  parse: (args, context) => ({ slug: parseAssetId(args.id), query: parseCandleQuery(args, context) }),
  resolve: async ({ slug, query }, context) => {
    const asset = await getAsset(slug, context)
    const ohlcv = await getCandles(asset, query, context)
    const state = stateOf(context, 'candles')
    return envelope(context, state, freshnessKindOfTier(asset.tier), ohlcv, {
      price_type: 'consensus_vwap',
      methodology_version: METHODOLOGY_VERSION,
      data_methodology: METHODOLOGY_TEXT,
      data_quality: qualityOf(ohlcv),
      total: query.windows.total,
      has_next: false,
    })
  },
})

const SupplyType = builder.objectRef<SupplyFigure>('AssetSupply').implement({
  description: 'Units of an asset in circulation.',
  fields: (t) => ({
    value: t.float({
      description: 'Units of the asset.',
      resolve: ({ supply }) => toJsonNumber(new Decimal(supply)),
    }),
    source: t.exposeString('source', { description: 'Who counted; `seed` is synthetic.' }),
    observed_at: t.expose('observedAt', { type: 'DateTime', description: 'When it was counted.' }),
  }),
})

builder.objectFields(AssetCardType, (t) => ({
  ohlcv: t.field({
    type: OhlcvResponseType,
    nullable: true,
    description:
      'Candles of the asset, by the rules and defaults of the root field ohlcv. Charged per 20 parents; all assets of a page are one read.',
    args: candleArguments(t.arg),
    ...edge('caller', ['candles'], (asset, args: CandleArguments, context) =>
      getCandles(asset, parseCandleQuery(args, context), context),
    ),
  }),
  supply: t.field({
    type: SupplyType,
    nullable: true,
    subGraphs: ['Graph'],
    description:
      'Units in circulation, the other factor of market_cap_derived_usd. Null while nobody has counted.',
    resolve: (asset, _args, context) => supplyOf(asset, context),
  }),
}))

const ConsensusSourceType = builder.objectRef<StoredSource>('ConsensusSource').implement({
  description:
    "One exchange's part in a candle, as the consensus used it. Decimals are text, so that nothing is lost.",
  fields: (t) => ({
    venue: t.exposeString('venue', { description: 'Exchange, e.g. kraken.' }),
    vwap_usd: t.exposeString('vwapUsd', {
      nullable: true,
      description: "The exchange's own volume-weighted price of the window, USD. Null where it gave none.",
    }),
    volume_usd: t.exposeString('volumeUsd', {
      nullable: true,
      description: 'Value traded there in the window, USD. Null where it gave none.',
    }),
    weight: t.exposeString('weight', {
      nullable: true,
      description: 'Share of the volume of the exchanges used, a fraction. Null when not used.',
    }),
    exclusion: t.exposeString('exclusion', {
      nullable: true,
      description:
        'Why it was left out: no_volume, invalid_price, stablecoin_off_peg, outlier or dominant_volume. Null when it passed every rule.',
    }),
    deviation: t.exposeString('deviation', {
      nullable: true,
      description:
        'Distance from the median as a fraction of it, signed. Null for an exchange that had no part in the median.',
    }),
  }),
})

const ConsensusInputsType = builder.objectRef<ConsensusInputs>('ConsensusInputs').implement({
  description: 'What a candle was made of: enough to calculate its price again by the published method.',
  fields: (t) => ({
    asset_id: t.string({ description: 'Slug of the asset.', resolve: ({ asset }) => asset.slug }),
    ticker: t.string({ description: 'Ticker of the asset.', resolve: ({ asset }) => asset.ticker }),
    timeframe: t.exposeString('timeframe', { description: '1h or 1d.' }),
    ts: t.expose('ts', { type: 'DateTime', description: 'Start of the window.' }),
    tier: t.int({
      nullable: true,
      description: 'Tier of the asset now, which decides how far an exchange may be from the median.',
      resolve: ({ asset }) => asset.tier,
    }),
    methodology_version: t.exposeString('methodologyVersion', { description: 'Version of the method used.' }),
    vwap_usd_text: t.exposeString('vwapUsd', {
      nullable: true,
      description:
        'The price, USD, to 15 significant digits as decimal text. Null with insufficient_sources.',
    }),
    consensus_status: t.expose('status', {
      type: ConsensusStatusType,
      description: 'ok or insufficient_sources.',
    }),
    known_from: t.expose('knownFrom', {
      type: 'DateTime',
      description: 'Since when this candle stood as it is here.',
    }),
    sources: t.expose('sources', {
      type: [ConsensusSourceType],
      description: 'Every exchange asked, by name.',
    }),
  }),
})

queryEndpoint('consensus_inputs', {
  summary: 'What a candle was made of',
  description: `Price, volume, weight and exclusion of every exchange behind one candle. ${METHODOLOGY_TEXT}`,
  access: 'history:full',
  cost: 'metered',
  rest: null,
  errors: ['not_found'],
  reads: ['instruments', 'candles'],
  type: ConsensusInputsType,
  args: (arg) => ({
    id: arg.string({
      required: true,
      description: 'Slug of the asset: its lower-case name.',
      ...hints({ example: 'bitcoin', maxLength: 64 }),
    }),
    timeframe: candleArguments(arg).timeframe,
    ts: arg({
      type: 'DateTime',
      required: true,
      description: 'Start of the window.',
      ...hints({ example: '2026-11-18T00:00:00Z' }),
    }),
    as_of: candleArguments(arg).as_of,
  }),
  parse: (args, context) => parseInputsQuery(args, context),
  resolve: (query, context) => getConsensusInputs(query, context),
})
