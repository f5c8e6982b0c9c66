import { METHODOLOGY_VERSION } from '../../../core/consensus/consensus.js'
import { CANDLE_HISTORY_DAYS, CANDLE_ROWS_PER_UNIT } from '../../../policy/limits.js'
import { ApiMetaType } from '../../../schema-kit/api-meta.js'
import { builder } from '../../../schema-kit/builder.js'
import { type Envelope, envelope, FreshnessType } from '../../../schema-kit/envelope.js'
import { hints } from '../../../schema-kit/fields.js'
import { seriesEndpoint } from '../../../schema-kit/series-endpoint.js'
import { ASSET_SLUG_TEXT, cursorArgument, limitArgument } from '../../../schema-kit/shared-arguments.js'
import { instant, integer, number, shownAs, shownFields, text } from '../../../schema-kit/shown-fields.js'
import { AssetClassType } from '../../assets/schema.js'
import { ConsensusStatusType, candleArguments } from '../candles/candle-arguments-schema.js'
import { candleFreshnessKind, candleGrainOf } from '../candles/candle-grains-model.js'
import { candleStateOf } from '../candles/candle-schema.js'
import { consensusMeta } from '../consensus-model.js'
import { toCandleQuality } from '../service.js'
import {
  type AssetCandle,
  getPanel,
  MAX_PANEL_SLUGS,
  nextCursorOf,
  PANEL_LIMITS,
  parsePanelQuery,
} from './panel-service.js'

const AssetCandleType = builder.objectRef<AssetCandle>('AssetCandle').implement({
  description: 'The consensus of one asset and window over several exchanges.',
  fields: (t) =>
    shownFields(t, {
      asset_id: integer('Integer key of the asset, as in the star schema.'),
      slug: text(ASSET_SLUG_TEXT),
      ts: instant('Start of the window. It ends at the start of the next window.'),
      vwap_usd: number.orNull(
        'Volume-weighted consensus price of the window, USD. Null with insufficient_sources.',
      ),
      volume_usd: number.orNull('Value traded on the exchanges used, USD. Null with insufficient_sources.'),
      exchanges_count: integer('Number of exchanges that passed every rule. 0 if nothing is stored.'),
      consensus_status: shownAs(ConsensusStatusType)(
        'ok, or insufficient_sources if fewer than 3 exchanges remained.',
      ),
    }),
})

interface AssetCandleList extends Envelope<readonly AssetCandle[]> {
  readonly next_cursor: string | null
}

const AssetCandleListType = builder.objectRef<AssetCandleList>('AssetCandleList').implement({
  description: 'Candles of many assets with metadata and freshness.',
  fields: (t) =>
    shownFields(t, {
      data: t.field({
        type: [AssetCandleType],
        description: 'The candles of this page, sorted by slug and then by time.',
        // All candles of an asset are read together, so a row costs no more than its selected fields.
        extensions: { rowValues: 0 },
        resolve: ({ data }) => data as never,
      }),
      next_cursor: text.orNull(
        'Pass it as `cursor` with the same arguments to get the next page. Null on the last page.',
      ),
      meta: shownAs(ApiMetaType)('Metadata of the response.'),
      _meta: shownAs(FreshnessType)('Freshness and sources of the response.'),
    }),
})

seriesEndpoint('candles', {
  summary: 'Prices of many crypto assets, as candles',
  keywords: ['many assets at once', 'bulk', 'panel', 'backtest'],
  description:
    'Consensus candles (price history) of many assets in one response, sorted by slug and then by time. Without `slugs` it returns ' +
    'every asset that exchanges trade. Every asset has every finished window of the range since its first candle: a window without enough ' +
    'exchanges has vwap_usd null and the status insufficient_sources. Windows before the first candle of an asset are omitted and free. `meta.total` counts the candles of all pages. If ' +
    '`next_cursor` is not null, more candles follow. ' +
    `1h needs ohlcv:intraday. Windows older than ${CANDLE_HISTORY_DAYS} days need history:full.`,
  access: 'caller',
  rowsPerUnit: CANDLE_ROWS_PER_UNIT,
  partScopes: ['ohlcv:intraday', 'history:full'],
  path: '/v1/candles',
  tag: 'candles',
  table: { rows: 'data', total: 'meta.total' },
  nextCursor: 'next_cursor',
  errors: ['forbidden', 'not_found'],
  reads: ['instruments', 'candles'],
  type: AssetCandleListType,
  args: (arg) => ({
    asset_class: arg({
      type: AssetClassType,
      description: 'Only assets of this class. Consensus prices exist for crypto assets only.',
      ...hints({ example: 'crypto' }),
    }),
    slugs: arg.stringList({
      description: `Only these assets: 1 to ${MAX_PANEL_SLUGS} slugs, as a list or joined by commas.`,
      ...hints({ example: ['bitcoin', 'ethereum'] }),
    }),
    ...candleArguments(arg),
    limit: limitArgument(arg, 'Maximum number of candles.', PANEL_LIMITS),
    cursor: cursorArgument(arg, '`next_cursor` of the previous page.'),
  }),
  check: (args, context) => parsePanelQuery(args, context),
  grains: ({ areNamed, assets, windows }, context) =>
    areNamed ? assets.map(({ slug }) => candleGrainOf(slug, windows, context)) : [],
  rows: ({ page }) => page.rows,
  resolve: async (query, context) => {
    const { windows, page } = query
    const assets = page.parts.map(({ asset }) => asset)
    const slugs = query.areNamed ? assets.map(({ slug }) => slug) : []
    const state = candleStateOf(slugs, windows, context)
    const candles = await getPanel(query, context)
    const kind = candleFreshnessKind(assets, windows, context)
    const enveloped = envelope(context, state, kind, candles, {
      ...consensusMeta(state.changedAt),
      methodology_version: METHODOLOGY_VERSION,
      data_quality: toCandleQuality(candles.map(({ vwap_usd }) => vwap_usd)),
      total: page.total,
      has_next: page.next !== null,
    })
    return { ...enveloped, next_cursor: nextCursorOf(query) }
  },
})
