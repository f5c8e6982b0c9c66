import type { AsOf } from '../../../core/as-of.js'
import type { Asset } from '../../../generated/prisma/client.js'
import { WINDOW_MS, type WindowRange, windowCount, windowsSince } from '../model.js'
import type { AssetWithHistory } from '../series-store.js'

/** A panel is the candles of many assets: each has the windows of one range since its first candle, by slug and then by time. */
export interface PanelQuery {
  readonly windows: WindowRange
  /** Sorted by slug. */
  readonly assets: readonly Asset[]
  /** Whether the request names the assets. Otherwise they are all that exchanges trade. */
  readonly areNamed: boolean
  readonly asOf: AsOf | null
  readonly page: PanelPage
}

/** The first candle of a page. */
export interface PanelPosition {
  readonly slug: string
  readonly ts: Date
}

/** The windows of one asset that a page holds. */
export interface AssetWindows {
  readonly asset: Asset
  readonly windows: WindowRange
}

export interface PanelPage {
  readonly parts: readonly AssetWindows[]
  /** Candles on this page. */
  readonly rows: number
  /** Candles on all pages. */
  readonly total: number
  /** The first candle of the next page. Null on the last page. */
  readonly next: PanelPosition | null
}

/** Sorts by the code units of the slug, as positions are compared. */
export function sortBySlug<Sorted extends Asset>(assets: readonly Sorted[]): readonly Sorted[] {
  return [...assets].sort((a, b) => (a.slug < b.slug ? -1 : 1))
}

/**
 * The page of at most `limit` candles that begins at a position, or at the first candle if it is null. `assets` are sorted by
 * slug. The windows of an asset begin with its first candle.
 */
export function panelPage(
  assets: readonly AssetWithHistory[],
  windows: WindowRange,
  start: PanelPosition | null,
  limit: number,
): PanelPage {
  const parts: AssetWindows[] = []
  let [rows, total] = [0, 0]
  let next: PanelPosition | null = null
  for (const asset of assets) {
    const own = windowsSince(windows, asset[windows.timeframe])
    const count = windowCount(own)
    total += count
    const from = start === null ? 0 : passedWindows(asset, own, start)
    const to = Math.min(count, from + limit - rows)
    if (from < to) parts.push({ asset, windows: sliceOf(own, from, to) })
    rows += to - from
    if (to < count) next ??= { slug: asset.slug, ts: startOf(own, to) }
  }
  return { parts, rows, total, next }
}

/** The number of windows of an asset before a position, which need not be in the range. */
function passedWindows({ slug }: Asset, windows: WindowRange, start: PanelPosition): number {
  if (slug !== start.slug) return slug < start.slug ? windowCount(windows) : 0
  const passed = Math.ceil((start.ts.getTime() - windows.first.getTime()) / WINDOW_MS[windows.timeframe])
  return Math.min(windowCount(windows), Math.max(0, passed))
}

/** All windows are one object for all assets, so that their starts are computed once. */
function sliceOf(windows: WindowRange, from: number, to: number): WindowRange {
  const isWhole = from === 0 && to === windowCount(windows)
  return isWhole ? windows : { ...windows, first: startOf(windows, from), end: startOf(windows, to) }
}

function startOf({ timeframe, first }: WindowRange, index: number): Date {
  return new Date(first.getTime() + index * WINDOW_MS[timeframe])
}
