import {
  type Given,
  parseAsOfArgument,
  parseLimit,
  type WholeBounds,
} from '../../../core/argument-parsers.js'
import { notFound } from '../../../core/errors.js'
import { parseSlug } from '../../../core/identifiers.js'
import { decodeCursor, encodeCursor } from '../../../core/page.js'
import { Problems } from '../../../core/problems.js'
import { memoizeByVersion } from '../../../platform/request/loaders/memoize-by-version.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { asKnown } from '../../assets/known-identity-service.js'
import type { AssetClass } from '../../assets/model.js'
import { getAsset, parseAssetId } from '../../assets/service.js'
import { assertRangeAccess, type CandleArguments, parseCandleRange } from '../candles/candle-query-service.js'
import { windowStarts, windowsBetween } from '../model.js'
import { type AssetWithHistory, loadHistories, loadPanel, loadTradedAssets } from '../series-store.js'
import { fillGaps, notTraded, toCandleStatus } from '../service.js'
import { type PanelPosition, type PanelQuery, panelPage, sortBySlug } from './panel-model.js'

/** Candles per response. At the default, two years of days of the sixty assets of the reference take three responses. */
export const PANEL_LIMITS = { min: 1, max: 50_000, default: 20_000 } as const satisfies WholeBounds

/** Slugs per request. */
export const MAX_PANEL_SLUGS = 100

interface PanelArguments extends CandleArguments {
  readonly asset_class?: Given<AssetClass>
  readonly slugs?: Given<readonly string[]>
  readonly cursor?: Given<string>
}

/**
 * Checks the arguments of a panel and finds its assets and its page. The 422 names every wrong argument, the 404 an unknown
 * asset or one without candles. The 403 is that of the candles of one asset.
 */
export async function parsePanelQuery(args: PanelArguments, context: RequestContext): Promise<PanelQuery> {
  const problems = new Problems()
  const slugs = parseSlugs(problems, args.slugs)
  if (args.asset_class != null && slugs !== null) problems.add('asset_class', 'cannot be combined with slugs')
  const range = parseCandleRange(problems, args, context)
  const limit = parseLimit(problems, args.limit, PANEL_LIMITS)
  const asOf = parseAsOfArgument(problems, args, context.now)
  const start = parsePosition(problems, args.cursor)
  problems.refuse()
  assertHasCandles(args.asset_class)
  assertRangeAccess(range, context)
  const windows = windowsBetween(range, Number.POSITIVE_INFINITY)
  const traded = await listTraded(context)
  const assets = slugs === null ? traded : await selectAssets(slugs, traded, context)
  return { windows, assets, areNamed: slugs !== null, asOf, page: panelPage(assets, windows, start, limit) }
}

/** A class without candles is a 404, as an asset without candles is. */
function assertHasCandles(assetClass: Given<AssetClass>): void {
  if (assetClass == null || assetClass === 'crypto') return
  throw notFound(`No ${assetClass} has candles: consensus prices exist for crypto assets only.`)
}

/** Reads distinct slugs. An element may hold several slugs, joined by commas. */
function parseSlugs(problems: Problems, given: Given<readonly string[]>): readonly string[] | null {
  if (given == null) return null
  const slugs = [...new Set(given.flatMap((text) => text.split(',')).map((text) => text.trim()))]
  if (slugs.length < 1 || slugs.length > MAX_PANEL_SLUGS)
    problems.add('slugs', `must have 1 to ${MAX_PANEL_SLUGS} slugs; got ${slugs.length}`)
  return slugs
}

function parsePosition(problems: Problems, cursor: Given<string>): PanelPosition | null {
  if (cursor == null) return null
  const [text = '', instant = ''] = decodeCursor(cursor, 2) ?? []
  const slug = parseSlug(text)
  const ts = new Date(instant)
  if (slug !== null && !Number.isNaN(ts.getTime())) return { slug, ts }
  problems.add('cursor', 'must be the next_cursor of a response')
  return null
}

/** The assets that have candles, sorted by slug. */
const tradedAssets = memoizeByVersion<null, readonly AssetWithHistory[]>({
  datasetsOf: () => ['instruments', 'candles'],
  keyText: () => '',
  max: 1,
  read: async (_key, sql) => sortBySlug(await loadTradedAssets(sql)),
})

/** The assets that have candles, or had some at the instant of the context's clock. */
async function listTraded(context: RequestContext): Promise<readonly AssetWithHistory[]> {
  const traded = await tradedAssets(null, context)
  const { clock, database } = context
  if (clock === undefined) return traded
  const known = await asKnown(traded, context)
  const ids = known.map(({ assetId }) => assetId)
  const histories = await loadHistories(database, ids, clock)
  return known.flatMap((asset) => {
    const history = histories.get(String(asset.assetId))
    return history === undefined ? [] : [{ ...asset, ...history }]
  })
}

/** The assets of these slugs, sorted by slug. An unknown asset is a 404, as is one that no venue trades. */
async function selectAssets(
  slugs: readonly string[],
  traded: readonly AssetWithHistory[],
  context: RequestContext,
): Promise<readonly AssetWithHistory[]> {
  const bySlug = new Map(traded.map((asset) => [asset.slug, asset]))
  const [missing] = slugs.filter((slug) => !bySlug.has(slug))
  if (missing !== undefined) throw notTraded(await getAsset(await parseAssetId(missing, context), context))
  return sortBySlug(slugs.flatMap((slug) => bySlug.get(slug) ?? []))
}

/** The cursor of the next page. Null on the last page. */
export function nextCursorOf({ page: { next } }: PanelQuery): string | null {
  return next === null ? null : encodeCursor([next.slug, next.ts.toISOString()])
}

/** A candle with its asset, named like the response fields: the executor then needs no resolver. */
export interface AssetCandle {
  readonly asset_id: number
  readonly slug: string
  readonly ts: Date
  readonly vwap_usd: number | null
  readonly volume_usd: number | null
  readonly exchanges_count: number
  readonly consensus_status: ReturnType<typeof toCandleStatus>
}

/** The candles of a page, sorted by slug and then by time. All assets of the page share one statement. */
export async function getPanel(
  { windows: { timeframe }, asOf, page }: PanelQuery,
  context: RequestContext,
): Promise<readonly AssetCandle[]> {
  const ranges = page.parts.map(({ asset, windows }) => ({ assetId: asset.assetId, ...windows }))
  const stored =
    ranges.length === 0 ? new Map() : await loadPanel(context.database, ranges, { timeframe, asOf })
  return page.parts.flatMap(({ asset: { assetId, slug }, windows }) =>
    fillGaps(windowStarts(windows), stored.get(assetId) ?? []).map(
      ({ ts, vwapUsd, volumeUsd, exchangesCount }): AssetCandle => ({
        asset_id: assetId,
        slug,
        ts,
        vwap_usd: vwapUsd,
        volume_usd: volumeUsd,
        exchanges_count: exchangesCount,
        consensus_status: toCandleStatus(vwapUsd),
      }),
    ),
  )
}
