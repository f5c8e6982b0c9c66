import { CONSENSUS_METHOD } from '../../core/consensus/consensus.js'
import { DISCLAIMER, DISCLAIMER_FR } from '../../core/disclaimer.js'
import { builder } from '../../schema-kit/builder.js'
import { FreshnessType, freshness } from '../../schema-kit/envelope.js'
import { type ArgBuilder, hints, queryEndpoint } from '../../schema-kit/fields.js'
import { asOfArguments } from '../../schema-kit/shared-arguments.js'
import { instant, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import { assetArguments } from '../assets/by-schema.js'
import { ConsensusStatusType, timeframeArgument } from './candles/candle-arguments-schema.js'
import { candleFreshnessKind, candleGrainOf, windowOfInputs } from './candles/candle-grains-model.js'
import { parseInputsQuery } from './candles/candle-query-service.js'
import { candleStateOf } from './candles/candle-schema.js'
import { type ConsensusInputs, getConsensusInputs } from './service.js'

const ConsensusSourceType = builder
  .objectRef<ConsensusInputs['sources'][number]>('ConsensusSource')
  .implement({
    description:
      'The part of one exchange in a candle, as the consensus used it. Decimals are strings to keep every digit.',
    fields: (t) =>
      shownFields(t, {
        venue: text('The exchange, e.g. kraken.'),
        vwap_usd: text.orNull(
          "The exchange's volume-weighted price of the window, USD. Null if it had none.",
          'vwapUsd',
        ),
        volume_usd: text.orNull(
          'Value traded on the exchange in the window, USD. Null if it had none.',
          'volumeUsd',
        ),
        weight: text.orNull(
          'Share in the volume of the exchanges used, a fraction. Null if the exchange was excluded.',
        ),
        exclusion: text.orNull(
          'Why the exchange was excluded: no_volume, invalid_price, stablecoin_off_peg, outlier or dominant_volume. Null if it passed every rule.',
        ),
        deviation: text.orNull(
          'Signed distance from the median, as a fraction of the median. Null if the exchange was not part of the median.',
        ),
      }),
  })

export const ConsensusInputsType = builder.objectRef<ConsensusInputs>('ConsensusInputs').implement({
  description:
    'What a candle was computed from. With it you can compute the price again by the published method.',
  fields: (t) =>
    shownFields(t, {
      asset_id: t.string({ description: 'Slug of the asset.', resolve: ({ asset }) => asset.slug }),
      ticker: t.string({ description: 'Ticker of the asset.', resolve: ({ asset }) => asset.ticker }),
      timeframe: text('1h or 1d.'),
      ts: instant('Start of the window.'),
      tier: t.int({
        nullable: true,
        description:
          'Current tier of the asset. It decides how far an exchange may be from the median. Null without a tier.',
        resolve: ({ asset }) => asset.tier,
      }),
      methodology_version: text('Version of the method used.', 'methodologyVersion'),
      vwap_usd_text: text.orNull(
        'The price, USD, as a decimal string with up to 15 significant digits. Null with insufficient_sources.',
        'vwapUsd',
      ),
      consensus_status: shownAs(ConsensusStatusType)('ok or insufficient_sources.', 'status'),
      known_from: instant('Time from which this service knew this version of the candle.', 'knownFrom'),
      sources: shownAs([ConsensusSourceType])('Every exchange that was requested, sorted by name.'),
      disclaimer: t.string({
        description: 'The disclaimer. This English text is binding.',
        resolve: () => DISCLAIMER,
      }),
      disclaimer_fr: t.string({ description: 'The disclaimer in French.', resolve: () => DISCLAIMER_FR }),
      _meta: t.field({
        type: FreshnessType,
        description: 'Freshness of the candles.',
        resolve: ({ asset, requested }, _args, context) => {
          const window = windowOfInputs(requested)
          const state = candleStateOf([asset.slug], window, context)
          return freshness(context, state, candleFreshnessKind([asset], window, context))
        },
      }),
    }),
})

/** The candle whose inputs are read. */
export const inputsArguments = (arg: ArgBuilder) => ({
  timeframe: timeframeArgument(arg),
  ts: arg({
    type: 'DateTime',
    description: 'Start of the window. A date without a time means its start.',
    ...hints({ example: '2026-11-18T00:00:00Z', defaultText: 'the newest stored window' }),
  }),
  ...asOfArguments(arg),
})

queryEndpoint('consensus_inputs', {
  summary: 'Inputs of a candle',
  keywords: [
    'exchanges behind the price',
    'why this price',
    'source of price',
    'price per exchange',
    'Binance',
    'Kraken',
  ],
  description: `Price, volume, weight and exclusion of every exchange behind one candle. It needs the same scopes as the candle. ${CONSENSUS_METHOD.summary}`,
  access: 'caller',
  partScopes: ['ohlcv:intraday', 'history:full'],
  cost: 'metered',
  rest: {
    method: 'GET',
    path: '/v1/assets/{id}/consensus-inputs',
    tag: 'candles',
    table: { rows: 'sources' },
  },
  errors: ['forbidden', 'not_found', 'service_unavailable'],
  reads: ['instruments', 'candles'],
  type: ConsensusInputsType,
  args: (arg) => ({
    ...assetArguments(arg),
    ...inputsArguments(arg),
  }),
  check: (args, context) => parseInputsQuery(args, context),
  grains: ({ slug, ...window }, context) => [candleGrainOf(slug, windowOfInputs(window), context)],
  assetOf: ({ slug }) => slug,
  resolve: (query, context) => getConsensusInputs(query, context),
})
