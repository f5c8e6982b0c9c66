import type { Given } from '../../../core/argument-parsers.js'
import { type ChangePosition, parseChangesCursor } from '../../../core/change-position.js'
import { Problems } from '../../../core/problems.js'
import { type ChangeEvent, followChanges } from '../../../platform/changes/follow-changes.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { AnalysisType } from '../model.js'
import { servedSource } from '../snapshots/loaders.js'
import type { ChainArgs } from '../snapshots/service.js'
import { findFilteredAsset } from './change-service.js'
import { ANALYSIS_CHANGES, type SnapshotChange } from './change-store.js'

export interface StreamQuery {
  /** The last item the reader has; null: only what is added from now on. */
  readonly after: ChangePosition | null
  readonly analysisType: AnalysisType | null
  /** All assets if null. */
  readonly assetId: number | null
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

/** Yields the changes after the position, or those from now on. 503 while no analysis exists. */
export async function openStream(
  { after, analysisType, assetId }: StreamQuery,
  context: RequestContext,
): Promise<AsyncGenerator<ChangeEvent<SnapshotChange>, void>> {
  const everything = { since: null, analysisType: null, changeType: null }
  const filter = { ...everything, analysisType, assetIds: assetId === null ? null : [assetId] }
  return followChanges(
    ANALYSIS_CHANGES,
    { dataset: 'analysis', after: after ?? (await newest()), filterOf: (source) => ({ ...filter, source }) },
    context,
  )

  async function newest(): Promise<ChangePosition | null> {
    const ofSource = { ...everything, source: servedSource(context) }
    const page = { before: null, limit: 1 }
    const [change = null] = await ANALYSIS_CHANGES.loadBefore(context.database, ofSource, page)
    return change
  }
}
