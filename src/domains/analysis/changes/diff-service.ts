import { type Given, parseUuidArgument } from '../../../core/argument-parsers.js'
import { notFound } from '../../../core/errors.js'
import type { Slug } from '../../../core/identifiers.js'
import { Problems } from '../../../core/problems.js'
import type { Asset } from '../../../generated/prisma/client.js'
import { defineLoader } from '../../../platform/request/loaders/define-loader.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { holdsScope } from '../../../policy/decide.js'
import { getAsset } from '../../assets/service.js'
import { type AnalysisType, DEFAULT_ANALYSIS_TYPE, type Snapshot } from '../model.js'
import { assertHistoryOfSnapshots } from '../snapshots/history.js'
import { predecessorLoader, servedSource, snapshotById, supersedes } from '../snapshots/loaders.js'
import { type ChainArgs, getLatestSnapshot, nothingAnalysed, parseChainAsset } from '../snapshots/service.js'
import { loadDifferences } from './change-store.js'
import { compareSnapshots, type Difference, inOrder } from './difference.js'

/** The differences that were computed when a snapshot was stored; null for the first of its asset and type. */
const differenceTo = defineLoader((snapshotIds: readonly string[], context) =>
  loadDifferences(context.database.prisma, snapshotIds),
)

/** Selects the compared snapshots of one asset. */
export interface DiffRange {
  readonly analysisType: AnalysisType
  /** UUIDs; null if omitted. */
  readonly from: string | null
  readonly to: string | null
}

export interface DiffQuery extends DiffRange {
  readonly slug: Slug
}

/** Two snapshots of one asset and type, earlier and later. */
interface Pair {
  readonly asset: Asset
  readonly analysisType: AnalysisType
  readonly from: Snapshot
  readonly to: Snapshot
}

/** Two snapshots and their differences. */
export interface Diff extends Pair {
  readonly difference: Difference
}

export interface DiffRangeArgs {
  readonly analysis_type?: Given<AnalysisType>
  readonly from_snapshot?: Given<string>
  readonly to_snapshot?: Given<string>
}

/** Checks the arguments; 422 for an invalid UUID and for two equal ones. */
export function parseDiffRange(args: DiffRangeArgs): DiffRange {
  const problems = new Problems()
  const from = parseUuidArgument(problems, 'from_snapshot', args.from_snapshot, 'a snapshot')
  const to = parseUuidArgument(problems, 'to_snapshot', args.to_snapshot, 'a snapshot')
  if (from !== null && from === to) {
    problems.add('to_snapshot', 'must differ from from_snapshot')
  }
  problems.refuse()
  return { analysisType: args.analysis_type ?? DEFAULT_ANALYSIS_TYPE, from, to }
}

/**
 * Checks the arguments and loads the asset. For a caller without history:full it reads the snapshots too, so that a
 * 403 is not charged.
 */
export async function checkDiff(
  args: ChainArgs & DiffRangeArgs,
  context: RequestContext,
): Promise<DiffQuery> {
  const query = { ...parseDiffRange(args), slug: await parseChainAsset(args, context) }
  if (!holdsScope(context, 'history:full'))
    await loadPair(await getAsset(query.slug, context), query, context)
  return query
}

/** The differences between the two snapshots; 404 for an unknown asset and if it has fewer than two snapshots. */
export async function getDiff({ slug, ...range }: DiffQuery, context: RequestContext): Promise<Diff> {
  return compare(await loadPair(await getAsset(slug, context), range, context), context)
}

/** Like `getDiff`, for a loaded asset; null if it has fewer than two snapshots. */
export async function getDiffOfAsset(
  asset: Asset,
  range: DiffRange,
  context: RequestContext,
): Promise<Diff | null> {
  const pair = await findPair(asset, range, context)
  return typeof pair === 'object' ? compare(pair, context) : null
}

/** Uses the stored difference if it was computed for the same pair. */
async function compare(pair: Pair, context: RequestContext): Promise<Diff> {
  const { from, to } = pair
  const known = await differenceTo(context).load(to.snapshotId)
  if (known?.fromSnapshotId === from.snapshotId) return { ...pair, difference: known }
  const ids = { laterId: to.snapshotId, earlierId: from.snapshotId }
  const restates = to.supersedes !== null && (await supersedes(context).load(ids)) !== null
  return { ...pair, difference: compareSnapshots(from, to, restates) }
}

async function loadPair(asset: Asset, range: DiffRange, context: RequestContext): Promise<Pair> {
  const pair = await findPair(asset, range, context)
  if (typeof pair === 'object') return pair
  if (pair === 'no snapshot') throw nothingAnalysed(asset, range.analysisType)
  throw notFound(`${asset.slug} has no second ${range.analysisType} to compare with.`)
}

/**
 * Selects both snapshots. A missing later one is the newest, or else the one before it if the newest is already the
 * earlier one. A missing earlier one is the one before the later, or else the newest if the later is the first.
 */
async function findPair(
  asset: Asset,
  range: DiffRange,
  context: RequestContext,
): Promise<Pair | 'no snapshot' | 'no second'> {
  servedSource(context)
  const { analysisType } = range
  const one =
    range.to === null
      ? (await getLatestSnapshot(asset, analysisType, context))?.snapshot
      : await givenSnapshot(asset, analysisType, range.to, 'to_snapshot', context)
  if (one === undefined) return 'no snapshot'
  const other =
    range.from === null || (range.to === null && range.from === one.snapshotId)
      ? ((await predecessorLoader(context).load(one)) ??
        (await getLatestSnapshot(asset, analysisType, context))?.snapshot)
      : await givenSnapshot(asset, analysisType, range.from, 'from_snapshot', context)
  if (other === undefined || other.snapshotId === one.snapshotId) return 'no second'
  const [from, to] = inOrder(other, one)
  assertHistoryOfSnapshots([from, to], context, () => null)
  return { asset, analysisType, from, to }
}

async function givenSnapshot(
  asset: Asset,
  analysisType: AnalysisType,
  snapshotId: string,
  field: string,
  context: RequestContext,
): Promise<Snapshot> {
  const snapshot = await snapshotById(context).load(snapshotId)
  if (snapshot?.assetId === asset.assetId && snapshot.analysisType === analysisType) return snapshot
  throw notFound(`${field}: no ${analysisType} of ${asset.slug} has the id ${snapshotId}.`)
}
