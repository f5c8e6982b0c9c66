import { freshnessKindOfTier } from '../../../core/freshness.js'
import { encodeRevisionCursor, FOLLOWED_DAYS } from '../../../platform/request/revision-cursor.js'
import { builder } from '../../../schema-kit/builder.js'
import { datasetStateOf, FreshnessType, freshness } from '../../../schema-kit/envelope.js'
import { subscriptionEndpoint } from '../../../schema-kit/fields.js'
import { cursorArgument } from '../../../schema-kit/shared-arguments.js'
import { instant, shownFields, text } from '../../../schema-kit/shown-fields.js'
import { assetArguments } from '../../assets/by-schema.js'
import { timeframeArgument } from '../candles/candle-arguments-schema.js'
import { CandleType, toServedCandle } from '../candles/candle-schema.js'
import { type CandleEvent, checkCandleStream, openCandleStream } from './stream-service.js'

const CandleEventType = builder.objectRef<CandleEvent>('CandleEvent').implement({
  description: 'A candle that became known.',
  subGraphs: ['Graph'],
  fields: (t) =>
    shownFields(t, {
      cursor: t.string({
        description: 'Pass it as `cursor` to continue after this candle.',
        resolve: (event) => encodeRevisionCursor(event),
      }),
      asset_id: t.string({ description: 'Slug of the asset.', resolve: ({ asset }) => asset.slug }),
      ticker: t.string({ description: 'Ticker of the asset.', resolve: ({ asset }) => asset.ticker }),
      timeframe: text('Length of the window: 1h or 1d, UTC.'),
      candle: t.field({
        type: CandleType,
        description: 'The consensus of the window.',
        resolve: (event) => toServedCandle(event),
      }),
      known_from: instant('Time from which this service knew the candle.', 'knownFrom'),
      source: t.string({
        description: 'Provider of the candles. `seed` marks synthetic data.',
        resolve: (_event, _args, context) => datasetStateOf(context, 'candles').source,
      }),
      _meta: t.field({
        type: FreshnessType,
        description: 'Freshness of the candles.',
        resolve: ({ asset }, _args, context) =>
          freshness(context, datasetStateOf(context, 'candles'), freshnessKindOfTier(asset.tier)),
      }),
    }),
})

subscriptionEndpoint('ohlcv', {
  summary: 'Follow candles',
  description: `Sends consensus candles of one asset when they become known: candles of windows that ended, and corrections of the last ${FOLLOWED_DAYS} days. Each is sent once, in the order in which they became known. After a lost connection pass the cursor of the last event to continue without a gap or a repetition. 1h needs ohlcv:intraday. Available over server-sent events and WebSocket. An account can have ten subscriptions at a time.`,
  access: 'caller',
  partScopes: ['ohlcv:intraday'],
  cost: 'metered',
  errors: ['forbidden', 'not_found', 'service_unavailable'],
  type: CandleEventType,
  args: (arg) => ({
    ...assetArguments(arg),
    timeframe: timeframeArgument(arg),
    cursor: cursorArgument(
      arg,
      `Cursor of the last event received, at most ${FOLLOWED_DAYS} days old. Without it only candles from now on are sent.`,
    ),
  }),
  check: (args, context) => checkCandleStream(args, context),
  subscribe: (query, context) => {
    datasetStateOf(context, 'candles')
    return openCandleStream(query, context)
  },
})
