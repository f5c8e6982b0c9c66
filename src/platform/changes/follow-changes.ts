import { type ChangePosition, changeCursor } from '../../core/change-position.js'
import type { DatasetName } from '../../core/datasets.js'
import { followDataset, liveOf, waitWhileOpen } from '../request/follow-dataset.js'
import { defineGroupedLoader, type LoaderOf } from '../request/loaders/define-loader.js'
import type { RequestContext } from '../request/request-context.js'
import type { ChangeFeed, ChangePage, ChangesBefore } from './change-feed.js'

export interface PageOfAsset<Filter> extends ChangesBefore {
  readonly assetId: number
  readonly filter: Filter
}

/** Loads a page of changes of an asset; one statement for each filter and range. */
export function definePagesOfAssets<Change, Filter>(
  feed: ChangeFeed<Change, Filter>,
): LoaderOf<PageOfAsset<Filter>, ChangePage<Change>> {
  return defineGroupedLoader({
    groupText: ({ filter, before, limit }) =>
      JSON.stringify([filter, before?.computedAt, before?.diffId, limit]),
    itemText: ({ assetId }) => String(assetId),
    load: async (keys, { database }) => {
      const assetIds = keys.map(({ assetId }) => assetId)
      const pages = await feed.loadPagesOfAssets(database, assetIds, keys[0].filter, keys[0])
      return assetIds.map((assetId) => pages.get(assetId))
    },
  })
}

/**
 * A page of a dataset. If it is empty, it is read again after each commit, until it has an item or `waitMs` have passed,
 * without a database connection meanwhile.
 */
export async function awaitPage<Page extends { readonly items: readonly unknown[] }>(
  { dataset, waitMs }: { readonly dataset: DatasetName; readonly waitMs: number },
  context: RequestContext,
  loadPage: (context: RequestContext) => Promise<Page>,
): Promise<Page> {
  const deadline = performance.now() + waitMs
  // A long poll waits for new changes, so its answer is computed once and not cached.
  if (waitMs > 0) context.validity?.endsBy(context.now)
  let { datasets } = context
  let page = await loadPage(context)
  while (page.items.length === 0 && performance.now() < deadline) {
    const live = liveOf(context)
    if (!(await waitWhileOpen(live, deadline - performance.now()))) break
    const fresh = await live.refresh()
    if (fresh.datasets.get(dataset)?.version === datasets.get(dataset)?.version) continue
    datasets = fresh.datasets
    page = await loadPage({ ...context, ...fresh })
  }
  return page
}

/** Items read at once, which bounds the memory of a slow reader. */
const BATCH = { limit: 100, maxBytes: 256 * 1_024 } as const

/** A change, and the cursor to continue after it. */
export interface ChangeEvent<Change> {
  readonly cursor: string
  readonly change: Change
}

/**
 * Yields the changes of a dataset, oldest first, each once: first those after the position, then new ones, until the
 * caller disconnects. No statement runs while nothing is added. `filterOf` gets the source of the dataset.
 */
export function followChanges<Change extends ChangePosition, Filter>(
  feed: Pick<ChangeFeed<Change, Filter>, 'loadAfter'>,
  {
    dataset,
    after: first,
    filterOf,
  }: {
    readonly dataset: DatasetName
    readonly after: ChangePosition | null
    readonly filterOf: (source: string) => Filter
  },
  context: RequestContext,
): AsyncGenerator<ChangeEvent<Change>, void> {
  const live = liveOf(context)
  let after = first
  return followDataset(live, dataset, async function* ({ state }) {
    let batch: readonly Change[]
    do {
      batch = await feed.loadAfter(context.database, filterOf(state.source), { ...BATCH, after })
      for (const change of batch) {
        yield { cursor: changeCursor(change), change }
        after = change
      }
    } while (batch.length > 0 && !(await live.isOver()))
  })
}
