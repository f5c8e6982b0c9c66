import { DAY_MS, HOUR_MS, startOfDay, startOfHour } from '../../../core/time.js'
import type { AnalysisType, LineageEntry } from '../../../domains/analysis/model.js'
import type { Queries } from '../../../platform/database/database.js'
import { type ListedAsset, loadListedInputs } from './facts/load-listed.js'
import { loadPriceSeries, loadSupplyUnits, type Span } from './facts/load-series.js'
import { tokenProfileOf } from './facts/token-profile.js'
import type { AnalysedAsset, AnalysisInput, PricePoint } from './generator.js'
import { listedTypes } from './rules/listed.js'
import { denseSeries, movingAverage, valueBack } from './rules/statistics.js'
import { findForbidden } from './words/forbidden-words.js'

/** The longest history that the rules use. */
const DAYS = 366
const HOURS = 27

/** Days of the average that breadth compares with. */
const BREADTH_DAYS = 20

/** The series and supplies for analyses at some instants. */
export interface SeriesInputs {
  readonly daily: ReadonlyMap<number, readonly PricePoint[]>
  readonly hourly: ReadonlyMap<number, readonly PricePoint[]>
  readonly supplies: ReadonlyMap<number, number>
}

/** Three statements for any number of assets and instants. */
export async function loadSeriesInputs(
  queries: Queries,
  assets: readonly AnalysedAsset[],
  instants: readonly Date[],
): Promise<SeriesInputs> {
  const assetIds = assets.map(({ assetId }) => assetId)
  const [first, last] = [Math.min, Math.max].map((pick) => pick(...instants.map((at) => at.getTime())))
  const days = spanBack(startOfDay(new Date(first ?? 0)), DAYS * DAY_MS, startOfDay(new Date(last ?? 0)))
  const hours = instants.map((at) => spanBack(startOfHour(at), HOURS * HOUR_MS))
  return {
    daily: await loadPriceSeries(queries, assetIds, '1d', [days]),
    hourly: await loadPriceSeries(queries, assetIds, '1h', disjoint(hours)),
    supplies: await loadSupplyUnits(queries.prisma, assetIds),
  }
}

/**
 * By tier, the share of the priced assets whose price is above its 20-day average, both on days that had ended. A
 * tier without comparable assets is not in the map.
 */
export function breadthByTier(
  assets: readonly AnalysedAsset[],
  facts: SeriesInputs,
  asOf: Date,
): ReadonlyMap<number, number> {
  const counts = new Map<number, { above: number; counted: number }>()
  const grid = { lastMs: startOfDay(asOf).getTime() - DAY_MS, stepMs: DAY_MS, count: BREADTH_DAYS }
  for (const { assetId, tier } of assets) {
    const prices = denseSeries(facts.daily.get(assetId) ?? [], grid, ({ priceUsd }) => priceUsd)
    const price = valueBack(prices, 0)
    const average = movingAverage(prices, BREADTH_DAYS)
    if (tier === null || price === null || average === null) continue
    const count = counts.get(tier) ?? { above: 0, counted: 0 }
    counts.set(tier, { above: count.above + (price > average ? 1 : 0), counted: count.counted + 1 })
  }
  return new Map([...counts].map(([tier, { above, counted }]) => [tier, above / counted]))
}

/** The facts of one analysis, cut off at its instant. */
export function createInput(
  asset: AnalysedAsset,
  analysisType: AnalysisType,
  at: {
    readonly asOf: Date
    readonly facts: SeriesInputs
    readonly breadth: ReadonlyMap<number, number>
    readonly lineage: readonly LineageEntry[]
  },
): AnalysisInput {
  const { asOf, facts } = at
  const until = (points: readonly PricePoint[] | undefined, lengthMs: number, windows: number) =>
    (points ?? []).filter(({ ts }) => {
      const startMs = ts.getTime()
      return startMs + lengthMs <= asOf.getTime() && startMs >= asOf.getTime() - (windows + 1) * lengthMs
    })
  return {
    analysisType,
    asOf,
    asset,
    daily: until(facts.daily.get(asset.assetId), DAY_MS, DAYS),
    hourly: until(facts.hourly.get(asset.assetId), HOUR_MS, HOURS),
    supplyUnits: facts.supplies.get(asset.assetId) ?? null,
    tierBreadth: asset.tier === null ? null : (at.breadth.get(asset.tier) ?? null),
    token: tokenProfileOf(asset.slug),
    // Crypto assets file no balance sheets.
    balance: null,
    lineage: at.lineage,
  }
}

/** The analyses of stocks and funds for which the known facts at an instant suffice. */
export async function createListedInputs(
  queries: Queries,
  assets: readonly ListedAsset[],
  at: { readonly asOf: Date; readonly isDevDataset: boolean },
): Promise<readonly AnalysisInput[]> {
  const { facts, lineage } = await loadListedInputs(queries, assets, at)
  return assets.flatMap(({ assetId, slug, ticker, name: given, tier }) => {
    const listed = facts.get(assetId)
    if (listed === undefined) return []
    // The names of some funds have a word that an analysis must not use, because it would read like a ruling.
    const name = findForbidden(given) === null ? given : ticker
    const asset = { assetId, slug, ticker, name, tier }
    const none = { daily: [], hourly: [], supplyUnits: null, tierBreadth: null, token: null, balance: null }
    return listedTypes(listed, at.asOf).map((analysisType) => {
      return { ...none, analysisType, asOf: at.asOf, asset, lineage, listed }
    })
  })
}

function spanBack(from: Date, reachMs: number, to: Date = from): Span {
  return { from: new Date(from.getTime() - reachMs), to }
}

/** Overlapping spans would return their windows twice. */
function disjoint(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = []
  for (const span of [...spans].sort((a, b) => a.from.getTime() - b.from.getTime())) {
    const last = merged.at(-1)
    if (last === undefined || span.from > last.to) merged.push(span)
    else if (span.to > last.to) merged[merged.length - 1] = { from: last.from, to: span.to }
  }
  return merged
}
