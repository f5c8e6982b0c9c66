import { type FieldProblem, invalid, notFound } from '../../core/errors.js'
import type { Slug } from '../../core/identifiers.js'
import { parseOffsetPage } from '../../core/page.js'
import type { RequestContext } from '../../platform/request-context.js'
import { getAsset, parseAssetId } from '../assets/service.js'
import { type Difference, differenceOf, inOrder } from './difference.js'
import { holds, refuseOldInstant, refuseOldSnapshots } from './history.js'
import {
  ALL_KNOWN,
  differenceTo,
  latestSnapshot,
  servedSource,
  snapshotById,
  snapshotPage,
} from './loaders.js'
import {
  type AnalysedAsset,
  type AnalysisType,
  DEFAULT_ANALYSIS_TYPE,
  HISTORY_LIMITS,
  type Snapshot,
} from './model.js'
import { readPredecessor, readSupersedes } from './reads.js'

/** A snapshot and the asset it speaks of. */
export interface AnalysedSnapshot {
  readonly asset: AnalysedAsset
  readonly snapshot: Snapshot
}

export interface ChainQuery {
  readonly slug: Slug
  readonly analysisType: AnalysisType
}

interface ChainArgs {
  readonly asset_id: string
  readonly analysis_type?: AnalysisType | null | undefined
}

/** Asset and type that are asked for; 404 for what is no slug. */
export function parseChain(args: ChainArgs): ChainQuery {
  return {
    slug: parseAssetId(args.asset_id),
    analysisType: args.analysis_type ?? DEFAULT_ANALYSIS_TYPE,
  }
}

/** The newest snapshot of an asset and type as known now; 404 where there is none. */
export async function getLatest(query: ChainQuery, context: RequestContext): Promise<AnalysedSnapshot> {
  const asset = await getAsset(query.slug, context)
  const latest = await latestOf(asset, query.analysisType, context)
  if (latest === null) throw nothingAnalysed(query)
  return latest
}

/** The same for an asset that is there already; null where there is none. */
export async function latestOf(
  asset: AnalysedAsset,
  analysisType: AnalysisType,
  context: RequestContext,
): Promise<AnalysedSnapshot | null> {
  servedSource(context)
  const snapshot = await latestSnapshot(context).load({ assetId: asset.assetId, analysisType })
  return snapshot && { asset, snapshot }
}

function nothingAnalysed({ slug, analysisType }: ChainQuery) {
  return notFound(`There is no ${analysisType} of ${slug} yet.`)
}

export interface HistoryRange {
  readonly analysisType: AnalysisType
  readonly limit: number
  /** Null: as known now. */
  readonly asOf: Date | null
}

export interface HistoryQuery extends HistoryRange {
  readonly slug: Slug
}

interface HistoryArgs {
  readonly analysis_type?: AnalysisType | null | undefined
  readonly limit?: number | null | undefined
  readonly as_of?: Date | null | undefined
}

/** Snapshots of an asset and type as they were known at an instant, newest first. */
export interface History extends HistoryRange {
  readonly asset: AnalysedAsset
  readonly snapshots: readonly Snapshot[]
  /** Before the limit. */
  readonly total: number
}

/**
 * Checks the arguments of a history; 422 for a limit out of bounds or an instant to come, 403 for an instant more than
 * 90 days ago without history:full.
 */
export function parseHistoryRange(args: HistoryArgs, context: RequestContext): HistoryRange {
  const { limit } = parseOffsetPage({ limit: args.limit }, HISTORY_LIMITS)
  const asOf = args.as_of ?? null
  if (asOf !== null && asOf > context.now) {
    throw invalid({ field: 'as_of', message: `must not be in the future; got ${asOf.toISOString()}` })
  }
  if (asOf !== null) refuseOldInstant(asOf, context)
  return { analysisType: args.analysis_type ?? DEFAULT_ANALYSIS_TYPE, limit, asOf }
}

/** The same with the asset. Without history:full the snapshots are looked at too, so that a 403 is not charged. */
export async function parseHistory(
  args: HistoryArgs & ChainArgs,
  context: RequestContext,
): Promise<HistoryQuery> {
  const query = { ...parseHistoryRange(args, context), slug: parseAssetId(args.asset_id) }
  if (!holds(context, 'history:full')) await getHistory(query, context)
  return query
}

/** The history that is asked for; 404 for an unknown asset, 403 as `historyOf`. */
export async function getHistory(query: HistoryQuery, context: RequestContext): Promise<History> {
  const { slug, ...range } = query
  return historyOf(await getAsset(slug, context), range, context)
}

/** 403 where it would hold snapshots of more than 90 days ago and the caller has no history:full: never silently cut. */
export async function historyOf(
  asset: AnalysedAsset,
  range: HistoryRange,
  context: RequestContext,
): Promise<History> {
  servedSource(context)
  const page = await snapshotPage(context).load({ ...range, assetId: asset.assetId })
  const { snapshots, total } = page ?? { snapshots: [], total: 0 }
  refuseOldSnapshots(snapshots, context, (recent) => (recent === 0 ? null : `Ask limit=${recent} or less`))
  return { ...range, asset, snapshots, total }
}

export interface DiffQuery extends ChainQuery {
  /** UUIDs; null: not given. */
  readonly from: string | null
  readonly to: string | null
}

/** Two snapshots, earlier and later, and what differs. */
export interface Diff extends ChainQuery {
  readonly asset: AnalysedAsset
  readonly from: Snapshot
  readonly to: Snapshot
  readonly difference: Difference
}

interface DiffArgs extends ChainArgs {
  readonly from_snapshot?: string | null | undefined
  readonly to_snapshot?: string | null | undefined
}

/** 422 for what is no UUID and for twice the same; 403 as a history. */
export async function parseDiff(args: DiffArgs, context: RequestContext): Promise<DiffQuery> {
  const problems: FieldProblem[] = []
  const from = readUuid('from_snapshot', args.from_snapshot, problems)
  const to = readUuid('to_snapshot', args.to_snapshot, problems)
  if (from !== null && from === to) {
    problems.push({ field: 'to_snapshot', message: 'must be another snapshot than from_snapshot' })
  }
  const [first, ...rest] = problems
  if (first) throw invalid(first, ...rest)
  const query = { ...parseChain(args), from, to }
  if (!holds(context, 'history:full')) await loadPair(query, context)
  return query
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

function readUuid(field: string, text: string | null | undefined, problems: FieldProblem[]): string | null {
  if (text == null) return null
  const uuid = text.toLowerCase()
  if (UUID.test(uuid)) return uuid
  problems.push({
    field,
    message: `must be the UUID of a snapshot; got ${JSON.stringify(text.slice(0, 40))}`,
  })
  return null
}

/** What differs between the two snapshots; as it was computed when the later one landed, where that is the pair. */
export async function getDiff(query: DiffQuery, context: RequestContext): Promise<Diff> {
  const { asset, from, to } = await loadPair(query, context)
  const known = await differenceTo(context).load(to.snapshotId)
  const difference = known?.fromSnapshotId === from.snapshotId ? known : await compare(from, to, context)
  const { slug, analysisType } = query
  return { slug, analysisType, asset, from, to, difference }
}

async function compare(from: Snapshot, to: Snapshot, context: RequestContext): Promise<Difference> {
  const restates =
    to.supersedes !== null && (await readSupersedes(context.database, to.snapshotId, from.snapshotId))
  return differenceOf(from, to, restates)
}

interface Pair {
  readonly asset: AnalysedAsset
  readonly from: Snapshot
  readonly to: Snapshot
}

async function loadPair(query: DiffQuery, context: RequestContext): Promise<Pair> {
  const asset = await getAsset(query.slug, context)
  const [from, to] = inOrder(...(await chosenPair(asset, query, context)))
  refuseOldSnapshots([from, to], context, () => null)
  return { asset, from, to }
}

/** Both as given; a missing later one is the newest, a missing earlier one that before the later. */
async function chosenPair(
  asset: AnalysedAsset,
  query: DiffQuery,
  context: RequestContext,
): Promise<[Snapshot, Snapshot]> {
  const source = servedSource(context)
  const to =
    query.to === null
      ? (await latestOf(asset, query.analysisType, context))?.snapshot
      : await givenSnapshot(asset, query, query.to, 'to_snapshot', context)
  if (to === undefined) throw nothingAnalysed(query)
  const from =
    query.from === null
      ? await readPredecessor(context.database, to, { source, asOf: ALL_KNOWN })
      : await givenSnapshot(asset, query, query.from, 'from_snapshot', context)
  if (from === null || from.snapshotId === to.snapshotId) {
    throw notFound(`There is no second ${query.analysisType} of ${query.slug} to compare with.`)
  }
  return [from, to]
}

async function givenSnapshot(
  asset: AnalysedAsset,
  { slug, analysisType }: ChainQuery,
  snapshotId: string,
  field: string,
  context: RequestContext,
): Promise<Snapshot> {
  const snapshot = await snapshotById(context).load(snapshotId)
  if (snapshot?.assetId === asset.assetId && snapshot.analysisType === analysisType) return snapshot
  throw notFound(`${field}: there is no ${analysisType} of ${slug} with the id ${snapshotId}.`)
}
