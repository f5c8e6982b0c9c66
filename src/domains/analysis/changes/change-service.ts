import { type Given, parseLimit, parseWhole } from '../../../core/argument-parsers.js'
import { type ChangePosition, parseChangesCursor } from '../../../core/change-position.js'
import { Problems } from '../../../core/problems.js'
import type { Asset } from '../../../generated/prisma/client.js'
import type { ChangePage, DeliveredChanges, FilterOf } from '../../../platform/changes/change-feed.js'
import { awaitPage, definePagesOfAssets } from '../../../platform/changes/follow-changes.js'
import type { DatasetStates } from '../../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { getAsset } from '../../assets/service.js'
import {
  type AnalysedSnapshot,
  type AnalysisType,
  CHANGES_LIMITS,
  type ChangeType,
  WAIT_SECONDS,
} from '../model.js'
import { assertHistoryOfSnapshots } from '../snapshots/history.js'
import { servedSource, snapshotById } from '../snapshots/loaders.js'
import { type ChainArgs, parseChainAsset } from '../snapshots/service.js'
import { ANALYSIS_CHANGES, type SnapshotChange } from './change-store.js'

/** The feed, for domains that deliver its changes. */
export const analysisChanges: DeliveredChanges = ANALYSIS_CHANGES

/** Filters that arguments give. */
export type ChangeFilter = Omit<FilterOf<typeof ANALYSIS_CHANGES>, 'assetIds' | 'source'>

export interface ChangesQuery {
  readonly filter: ChangeFilter
  /** All assets if null. */
  readonly assetId: number | null
  readonly limit: number
  /** Only items before this position; null to start at the newest. */
  readonly before: ChangePosition | null
  /** How long an empty first page waits for an item. */
  readonly waitMs: number
}

/** A page of changes, newest first. */
export interface ChangesPage extends ChangePage<SnapshotChange> {
  /** The dataset states that the page was read from. */
  readonly datasets: DatasetStates
}

interface FilterArgs {
  readonly since?: Given<Date>
  readonly analysis_type?: Given<AnalysisType>
  readonly change_type?: Given<ChangeType>
}

export interface ChangesArgs extends FilterArgs {
  readonly limit?: Given<number>
  readonly cursor?: Given<string>
  readonly wait_seconds?: Given<number>
}

export function parseChangeFilter(args: FilterArgs): ChangeFilter {
  return {
    since: args.since ?? null,
    analysisType: args.analysis_type ?? null,
    changeType: args.change_type ?? null,
  }
}

/** Parses the arguments and finds the asset; 404 for an unknown asset, 422 as `parseChanges`. */
export async function checkChanges(
  args: ChangesArgs & ChainArgs,
  context: RequestContext,
): Promise<ChangesQuery> {
  const query = parseChanges(args)
  return { ...query, assetId: await findFilteredAsset(args, context) }
}

/** The key of the asset that a filter names; null without one. */
export async function findFilteredAsset(args: ChainArgs, context: RequestContext): Promise<number | null> {
  if (args.asset_id == null && args.by == null) return null
  return (await getAsset(await parseChainAsset(args, context), context)).assetId
}

/** Parses the arguments of the changes of all assets; 422 for a value out of bounds and for an invalid cursor. */
export function parseChanges(args: ChangesArgs): ChangesQuery {
  const problems = new Problems()
  const limit = parseLimit(problems, args.limit, CHANGES_LIMITS)
  const before = parseChangesCursor(problems, args.cursor)
  const waitSeconds = parseWhole(problems, 'wait_seconds', args.wait_seconds, WAIT_SECONDS)
  if (waitSeconds > 0 && before !== null) {
    const message = 'cannot be combined with cursor: no new items are added to older pages; use since'
    problems.add('wait_seconds', message)
  }
  problems.refuse()
  return { filter: parseChangeFilter(args), assetId: null, limit, before, waitMs: waitSeconds * 1_000 }
}

/** Gets one page. Following `nextCursor` returns each older item once, even while new ones are added. */
export async function getChanges(query: ChangesQuery, context: RequestContext): Promise<ChangesPage> {
  const { assetId, limit, before } = query
  const assetIds = assetId === null ? null : [assetId]
  const filter = { ...query.filter, assetIds, source: servedSource(context) }
  const page = await ANALYSIS_CHANGES.loadPage(context.database, filter, { before, limit })
  return { ...page, datasets: context.datasets }
}

/** Gets one page. If it is empty, it waits for the first item as long as the query says. */
export function awaitChanges(query: ChangesQuery, context: RequestContext): Promise<ChangesPage> {
  const { waitMs } = query
  return awaitPage({ dataset: 'analysis', waitMs }, context, (now) => getChanges(query, now))
}

const pagesOfAssets = definePagesOfAssets(ANALYSIS_CHANGES)

/** One page of the changes of an asset without a total. All assets of a page share one statement. */
export async function getChangesOfAsset(
  { assetId }: Asset,
  { filter, limit, before }: Pick<ChangesQuery, 'filter' | 'limit' | 'before'>,
  context: RequestContext,
): Promise<ChangesPage> {
  const { datasets } = context
  const ofSource = { ...filter, source: servedSource(context) }
  const page = await pagesOfAssets(context).load({ assetId, filter: ofSource, before, limit })
  if (page === null) throw new Error('every asset has a page')
  return { ...page, datasets }
}

/** One of the two snapshots of an item; 403 when it is older than 90 days and the caller lacks history:full. */
export async function changedSnapshot(
  change: SnapshotChange,
  snapshotId: string,
  context: RequestContext,
): Promise<AnalysedSnapshot | null> {
  const snapshot = await snapshotById(context).load(snapshotId)
  if (snapshot === null) return null
  assertHistoryOfSnapshots([snapshot], context, () => null)
  return { asset: change.asset, snapshot }
}
