import type { Asset } from '../../../generated/prisma/client.js'
import { WINDOW_MS, type WindowRange, windowCount } from '../model.js'

/** A panel is the candles of many assets: each asset has the same windows, sorted by slug and then by time. */
export interface PanelQuery {
  readonly windows: WindowRange
  /** Sorted by slug. */
  readonly assets: readonly Asset[]
  /** Whether the request names the assets. Otherwise they are all that exchanges trade. */
  readonly areNamed: boolean
  readonly asOf: Date | null
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
export function sortBySlug(assets: readonly Asset[]): readonly Asset[] {
  return [...assets].sort((a, b) => (a.slug < b.slug ? -1 : 1))
}

/** The page of at most `limit` candles that begins at a position, or at the first candle if it is null. `assets` are sorted by slug. */
export function panelPage(
  assets: readonly Asset[],
  windows: WindowRange,
  start: PanelPosition | null,
  limit: number,
): PanelPage {
  const perAsset = windowCount(windows)
  const total = assets.length * perAsset
  const at = start === null ? 0 : placeOf(assets, windows, start)
  const end = Math.min(total, at + limit)
  const parts: AssetWindows[] = []
  for (let from = at; from < end; ) {
    const index = Math.floor(from / perAsset)
    const first = index * perAsset
    const to = Math.min(end, first + perAsset)
    const asset = assets[index]
    if (asset !== undefined) parts.push({ asset, windows: sliceOf(windows, from - first, to - first) })
    from = to
  }
  return { parts, rows: end - at, total, next: end < total ? positionOf(assets, windows, end) : null }
}

/** The number of candles before a position, which need not be in the range. */
function placeOf(assets: readonly Asset[], windows: WindowRange, { slug, ts }: PanelPosition): number {
  const perAsset = windowCount(windows)
  const found = assets.findIndex((asset) => asset.slug >= slug)
  if (found < 0) return assets.length * perAsset
  if (assets[found]?.slug !== slug) return found * perAsset
  const passed = Math.ceil((ts.getTime() - windows.first.getTime()) / WINDOW_MS[windows.timeframe])
  return found * perAsset + Math.min(perAsset, Math.max(0, passed))
}

function positionOf(assets: readonly Asset[], windows: WindowRange, place: number): PanelPosition | null {
  const perAsset = windowCount(windows)
  const asset = assets[Math.floor(place / perAsset)]
  return asset === undefined ? null : { slug: asset.slug, ts: startOf(windows, place % perAsset) }
}

/** All windows are one object for all assets, so that their starts are computed once. */
function sliceOf(windows: WindowRange, from: number, to: number): WindowRange {
  const isWhole = from === 0 && to === windowCount(windows)
  return isWhole ? windows : { ...windows, first: startOf(windows, from), end: startOf(windows, to) }
}

function startOf({ timeframe, first }: WindowRange, index: number): Date {
  return new Date(first.getTime() + index * WINDOW_MS[timeframe])
}
