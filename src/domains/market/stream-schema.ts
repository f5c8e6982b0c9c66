import { freshnessKindOfTier } from '../../core/freshness.js'
import { encodeRevisionCursor, FOLLOWED_DAYS } from '../../platform/request/revision-cursor.js'
import { builder } from '../../schema-kit/builder.js'
import { datasetStateOf, FreshnessType, freshness } from '../../schema-kit/envelope.js'
import { subscriptionEndpoint } from '../../schema-kit/fields.js'
import { cursorArgument, slugArgument } from '../../schema-kit/shared-arguments.js'
import { timeframeArgument } from './candle-arguments-schema.js'
import { CandleType, servedCandle } from './candle-schema.js'
import { type CandleEvent, checkCandleStream, openCandleStream } from './stream-service.js'

const CandleEventType = builder.objectRef<CandleEvent>('CandleEvent').implement({
  description: 'A candle, sent when it becomes known.',
  subGraphs: ['Graph'],
  fields: (t) => ({
    cursor: t.string({
      description: 'Give it as `cursor` to go on after this candle.',
      resolve: (event) => encodeRevisionCursor(event),
    }),
    asset_id: t.string({ description: 'Slug of the asset.', resolve: ({ asset }) => asset.slug }),
    ticker: t.string({ description: 'Ticker of the asset.', resolve: ({ asset }) => asset.ticker }),
    timeframe: t.exposeString('timeframe', { description: 'Length of the window: 1h or 1d, UTC.' }),
    candle: t.field({
      type: CandleType,
      description: 'The consensus of the window.',
      resolve: (event) => servedCandle(event),
    }),
    known_from: t.expose('knownFrom', { type: 'DateTime', description: 'When it became known here.' }),
    source: t.string({
      description: 'Provider of the candles; `seed` is synthetic.',
      resolve: (_event, _args, context) => datasetStateOf(context, 'candles').source,
    }),
    _meta: t.field({
      type: FreshnessType,
      description: 'How fresh the candles are.',
      resolve: ({ asset }, _args, context) =>
        freshness(context, datasetStateOf(context, 'candles'), freshnessKindOfTier(asset.tier)),
    }),
  }),
})

subscriptionEndpoint('ohlcv', {
  summary: 'Follow candles',
  description: `Consensus candles of one asset as they become known: those of windows that ended, and corrections of the last ${FOLLOWED_DAYS} days, each once, in the order in which they became known. After a lost connection give the cursor of the last event: nothing is lost or repeated. 1h needs ohlcv:intraday. Over server-sent events or a WebSocket; ten subscriptions at a time per account.`,
  access: 'caller',
  partScopes: ['ohlcv:intraday'],
  cost: 'metered',
  errors: ['forbidden', 'not_found', 'service_unavailable'],
  type: CandleEventType,
  args: (arg) => ({
    id: slugArgument(arg),
    timeframe: timeframeArgument(arg),
    cursor: cursorArgument(
      arg,
      `Cursor of the last event received, at most ${FOLLOWED_DAYS} days old; left out: only candles from now on.`,
    ),
  }),
  check: (args, context) => checkCandleStream(args, context),
  subscribe: (query, context) => {
    datasetStateOf(context, 'candles')
    return openCandleStream(query, context)
  },
})
