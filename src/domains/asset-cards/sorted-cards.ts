import { invalid } from '../../core/errors.js'
import { HOUR_MS } from '../../core/time.js'
import type { Sql } from '../../platform/database/database.js'
import { memoizeByVersion } from '../../platform/request/loaders/memoize-by-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { AssetFilter } from '../assets/model.js'
import { latestHour } from '../market/latest-model.js'
import { toPrice } from '../market/service.js'
import type { CardOrder, CardSort } from './model.js'
import { toCard } from './model.js'
import { loadCardPage } from './store.js'

/** More than all assets of a class in use. Bounds the memory of an index: about 4 MB. */
export const MAX_SORTED = 20_000

/** Filters whose figures are kept: each class and each tier, without a market. */
const MAX_FILTERS = 8

/** What an asset is found and sorted by. */
interface SortFigures {
  readonly slug: string
  /** Slug, ticker and name in lower case. */
  readonly text: string
  readonly keys: Readonly<Record<CardSort, string | number | null>>
}

interface SortedFilter {
  readonly filter: AssetFilter
  readonly now: Date
}

/**
 * The figures of all assets of a filter in the order of asset_id. Reading them takes one statement over every match, so they are
 * kept until the data or the hour changes; each request then sorts in memory.
 */
const figuresByFilter = memoizeByVersion<SortedFilter, readonly SortFigures[]>({
  datasetsOf: () => ['instruments', 'candles', 'supply'],
  keyText: ({ filter: { tier, assetClass, mic }, now }) =>
    `${latestHour(now) / HOUR_MS} ${tier} ${assetClass} ${mic}`,
  max: MAX_FILTERS,
  read: loadSortFigures,
})

async function loadSortFigures({ filter, now }: SortedFilter, sql: Sql): Promise<readonly SortFigures[]> {
  const cards = await loadCardPage(sql, filter, { limit: MAX_SORTED + 1, offset: 0, from: null }, now)
  return cards.map(({ asset, latest }) => {
    const { slug, ticker, name, tier, ...card } = toCard({ asset, price: toPrice(latest) })
    return {
      slug,
      text: `${slug} ${ticker} ${name}`.toLowerCase(),
      keys: {
        name: name.toLowerCase(),
        price: card.price_consensus_usd,
        market_cap: card.market_cap_derived_usd,
        tier,
        last_updated: card.last_updated.getTime(),
      },
    }
  })
}

/**
 * The slugs of all assets of a filter that contain every word, in order. Equal keys keep the order of asset_id; null is last.
 * Throws a 422 if more assets match the filter than can be sorted.
 */
export async function listSortedSlugs(
  filter: AssetFilter,
  { sort, isDescending, words }: CardOrder,
  context: RequestContext,
): Promise<readonly string[]> {
  const figures = await figuresByFilter({ filter, now: context.now }, context)
  if (figures.length > MAX_SORTED)
    throw invalid({
      field: sort === null ? 'q' : 'sort',
      message: `works for at most ${MAX_SORTED} assets, and the filters match more; use asset_class, tier or mic to choose fewer`,
    })
  const matches = figures.filter(({ text }) => words.every((word) => text.includes(word)))
  if (sort !== null) {
    const sign = isDescending ? -1 : 1
    matches.sort((a, b) => compareKeys(a.keys[sort], b.keys[sort], sign))
  }
  return matches.map(({ slug }) => slug)
}

type SortKey = string | number | null

function compareKeys(a: SortKey, b: SortKey, sign: number): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return a < b ? -sign : sign
}
