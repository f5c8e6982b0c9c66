import type { Given } from '../../../core/argument-parsers.js'
import { type ChangePosition, changeCursor, parseChangesCursor } from '../../../core/change-position.js'
import { Problems } from '../../../core/problems.js'
import { followDataset, liveOf, waitWhileOpen } from '../../../platform/request/follow-dataset.js'
import type { LiveRequest, RequestContext } from '../../../platform/request/request-context.js'
import type { AnalysisType } from '../model.js'
import { servedSource } from '../snapshots/loaders.js'
import type { ChainArgs } from '../snapshots/service.js'
import { type ChangesPage, type ChangesQuery, findFilteredAsset, getChanges } from './change-service.js'
import { loadChangesAfter, loadChangesBefore, type SnapshotChange } from './change-store.js'

/** Items read at once, which bounds the memory of a slow reader. */
const BATCH = { limit: 100, maxBytes: 256 * 1_024 } as const

export interface StreamQuery {
  /** The last item the reader has; null: only what is added from now on. */
  readonly after: ChangePosition | null
  readonly analysisType: AnalysisType | null
  /** All assets if null. */
  readonly assetId: number | null
}

/** A change, and the cursor to continue after it. */
export interface ChangeEvent {
  readonly cursor: string
  readonly change: SnapshotChange
}

/** Checks the arguments; 404 for an unknown asset, 422 for an invalid cursor. */
export async function checkStream(
  args: {
    readonly cursor?: Given<string>
    readonly analysis_type?: Given<AnalysisType>
  } & ChainArgs,
  context: RequestContext,
): Promise<StreamQuery> {
  const problems = new Problems()
  const after = parseChangesCursor(problems, context.lastEventId ?? args.cursor)
  problems.refuse()
  const assetId = await findFilteredAsset(args, context)
  return { after, analysisType: args.analysis_type ?? null, assetId }
}

/**
 * Yields the changes, oldest first, each once: first those after the given position, then new ones, until the
 * caller disconnects. No statement runs while nothing is added. 503 while no analysis exists.
 */
export async function openStream(
  query: StreamQuery,
  context: RequestContext,
): Promise<AsyncGenerator<ChangeEvent, void>> {
  const live = liveOf(context)
  const everything = { since: null, analysisType: null, changeType: null }
  const newest = { before: null, limit: 1 }
  const after =
    query.after ??
    (await loadChangesBefore(context.database, servedSource(context), everything, newest))[0] ??
    null
  return follow({ ...query, after }, context, live)
}

function follow(
  query: StreamQuery,
  context: RequestContext,
  live: LiveRequest,
): AsyncGenerator<ChangeEvent, void> {
  const filter = { since: null, analysisType: query.analysisType, changeType: null }
  let { after } = query
  return followDataset(live, 'analysis', async function* ({ state }) {
    let batch: readonly SnapshotChange[]
    do {
      const page = { ...BATCH, after, assetId: query.assetId }
      batch = await loadChangesAfter(context.database, state.source, filter, page)
      for (const change of batch) {
        yield { cursor: changeCursor(change), change }
        after = change
      }
    } while (batch.length > 0 && !(await live.isOver()))
  })
}

/** A page. If it is empty, it waits for the first item as long as the query says, without a database connection. */
export async function awaitChanges(query: ChangesQuery, context: RequestContext): Promise<ChangesPage> {
  const deadline = performance.now() + query.waitMs
  // A long poll waits for new changes, so its answer is computed once and not cached.
  if (query.waitMs > 0) context.validity?.endsBy(context.now)
  let { datasets } = context
  let page = await getChanges(query, context)
  while (page.items.length === 0 && performance.now() < deadline) {
    const live = liveOf(context)
    if (!(await waitWhileOpen(live, deadline - performance.now()))) break
    const fresh = await live.refresh()
    if (fresh.datasets.get('analysis')?.version === datasets.get('analysis')?.version) continue
    datasets = fresh.datasets
    page = await getChanges(query, { ...context, ...fresh })
  }
  return page
}
