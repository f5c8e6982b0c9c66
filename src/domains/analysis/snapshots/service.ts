import {
  type AsOfArguments,
  type Given,
  parseAsOfArgument,
  parseLimit,
} from '../../../core/argument-parsers.js'
import { observedInstant } from '../../../core/as-of.js'
import { type ApiError, notFound } from '../../../core/errors.js'
import type { Slug } from '../../../core/identifiers.js'
import { decodeCursor, encodeCursor } from '../../../core/page.js'
import { Problems } from '../../../core/problems.js'
import type { Asset } from '../../../generated/prisma/client.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { holdsScope } from '../../../policy/decide.js'
import type { Scope } from '../../../policy/scopes.js'
import { type AssetBy, parseAssetName } from '../../assets/by-service.js'
import { getAsset, unknownAsset } from '../../assets/service.js'
import {
  ANALYSIS_LANGUAGE,
  type AnalysedSnapshot,
  type AnalysisType,
  DEFAULT_ANALYSIS_TYPE,
  HISTORY_LIMITS,
  type ListedSnapshot,
} from '../model.js'
import type { LatestOfAsset } from './analysed-store.js'
import { assertHistoryOf, assertHistoryOfSnapshots, filterRecent, openSince } from './history.js'
import { analysedAssets, latestBySlug, latestSnapshot, servedSource, snapshotPage } from './loaders.js'
import type { SnapshotPosition } from './snapshot-store.js'

export interface ChainQuery {
  readonly slug: Slug
  readonly analysisType: AnalysisType
}

export interface ChainArgs {
  readonly asset_id?: Given<string>
  readonly by?: Given<AssetBy>
  readonly analysis_type?: Given<AnalysisType>
}

/** The requested asset and type; 404 for an unknown name. */
export async function parseChain(args: ChainArgs, context: RequestContext): Promise<ChainQuery> {
  const slug = await parseChainAsset(args, context)
  return { slug, analysisType: args.analysis_type ?? DEFAULT_ANALYSIS_TYPE }
}

/** The requested name of an asset. */
export function parseChainAsset({ asset_id: id, by }: ChainArgs, context: RequestContext): Promise<Slug> {
  return parseAssetName({ id, by }, context, 'asset_id')
}

/** The newest snapshot of an asset and type as known now; 404 for an unknown asset and without a snapshot. */
export async function getLatest(query: ChainQuery, context: RequestContext): Promise<AnalysedSnapshot> {
  const { asset, snapshot } = await getLatestOfAsset(query, context)
  if (snapshot === null) throw nothingAnalysed(asset, query.analysisType)
  return { asset, snapshot }
}

/** An asset with its newest snapshot of a type, or null without one; 404 for an unknown asset. One statement. */
export async function getLatestOfAsset(query: ChainQuery, context: RequestContext): Promise<LatestOfAsset> {
  servedSource(context)
  const latest = await latestBySlug(context).load(query)
  if (latest === null) throw await unknownAsset(query.slug, context)
  return latest
}

/** The newest snapshot of a loaded asset; null without one. */
export async function getLatestSnapshot(
  asset: Asset,
  analysisType: AnalysisType,
  context: RequestContext,
): Promise<AnalysedSnapshot | null> {
  servedSource(context)
  const snapshot = await latestSnapshot(context).load({ assetId: asset.assetId, analysisType })
  return snapshot && { asset, snapshot }
}

/** The 404 of an asset without an analysis of the type. */
export function nothingAnalysed({ slug }: Pick<Asset, 'slug'>, analysisType: AnalysisType): ApiError {
  return notFound(`${slug} has no ${analysisType} yet.`)
}

export interface HistoryRange {
  readonly analysisType: AnalysisType
  /** The request has no limit, cursor or as_of, so it returns what the caller may see. */
  readonly isOpen: boolean
  readonly limit: number
  /** Only snapshots before this position; null to start at the newest. */
  readonly before: SnapshotPosition | null
  /** Null means as known now. */
  readonly asOf: Date | null
}

export interface HistoryQuery extends HistoryRange {
  readonly slug: Slug
}

export interface HistoryArgs extends AsOfArguments {
  readonly analysis_type?: Given<AnalysisType>
  readonly limit?: Given<number>
  readonly cursor?: Given<string>
}

/** Snapshots of an asset and type as they were known at an instant, newest first. */
export interface History extends HistoryRange {
  readonly asset: Asset
  readonly snapshots: readonly ListedSnapshot[]
  /** Number of snapshots before the limit. */
  readonly total: number
  /** Position of the last snapshot of this page for the next one; null if no older ones follow. */
  readonly nextCursor: string | null
  /** The scope of older snapshots that the caller may not see; null without any. */
  readonly olderRequires: Scope | null
}

/**
 * Checks the arguments of a history; 422 for a limit out of bounds or a future instant, 403 for an instant older
 * than 90 days without history:full.
 */
export function parseHistoryRange(args: HistoryArgs, context: RequestContext): HistoryRange {
  const problems = new Problems()
  const limit = parseLimit(problems, args.limit, HISTORY_LIMITS)
  const asOf = observedInstant(parseAsOfArgument(problems, args, context.now))
  const before = readHistoryCursor(problems, args.cursor)
  problems.refuse()
  if (asOf !== null) assertHistoryOf(asOf, context)
  const isOpen = args.limit == null && before === null && asOf === null
  return { analysisType: args.analysis_type ?? DEFAULT_ANALYSIS_TYPE, isOpen, limit, before, asOf }
}

function historyCursor({ generatedAt, sequence }: SnapshotPosition): string {
  return encodeCursor([generatedAt.toISOString(), sequence])
}

/** Parses a cursor to its position and adds a problem for an invalid one; null when no cursor is given. */
function readHistoryCursor(problems: Problems, text: Given<string>): SnapshotPosition | null {
  if (text == null) return null
  const [instant = '', number = ''] = decodeCursor(text, 2) ?? []
  const place = { generatedAt: new Date(instant), sequence: Number(number) }
  const isPlace = !Number.isNaN(place.generatedAt.getTime()) && Number.isInteger(place.sequence)
  if (isPlace && historyCursor(place) === text) return place
  problems.add('cursor', 'must be the next_cursor of a page of this history')
  return null
}

/**
 * Checks the arguments and loads the asset. Without history:full it reads the snapshots too, so that a 403 is not
 * charged.
 */
export async function checkHistory(
  args: HistoryArgs & ChainArgs,
  context: RequestContext,
): Promise<HistoryQuery> {
  const query = { ...parseHistoryRange(args, context), slug: await parseChainAsset(args, context) }
  if (!query.isOpen && !holdsScope(context, 'history:full')) await getHistory(query, context)
  return query
}

/** The requested history; 404 for an unknown asset, 403 like `getHistoryOfAsset`. */
export async function getHistory(query: HistoryQuery, context: RequestContext): Promise<History> {
  const { slug, ...range } = query
  return getHistoryOfAsset(await getAsset(slug, context), range, context)
}

/**
 * Snapshots older than 90 days need history:full. Without it, a request without limits gets the newer ones and is
 * told that older ones exist. Any other request that would include older ones is a 403, so that nothing is omitted
 * silently.
 */
export async function getHistoryOfAsset(
  asset: Asset,
  range: HistoryRange,
  context: RequestContext,
): Promise<History> {
  servedSource(context)
  // One more than shown, to find out whether more follow.
  const key = { ...range, assetId: asset.assetId, limit: range.limit + 1 }
  const { snapshots: found, total } = (await snapshotPage(context).load(key)) ?? { snapshots: [], total: 0 }
  const listed = found.slice(0, range.limit)
  const snapshots = range.isOpen ? filterRecent(listed, context) : listed
  assertHistoryOfSnapshots(snapshots, context, (recent) =>
    recent === 0 ? null : `Use limit=${recent} or less`,
  )
  const last = snapshots.at(-1)
  const isCut = snapshots.length < listed.length
  const nextCursor = last !== undefined && !isCut && found.length > listed.length ? historyCursor(last) : null
  const olderRequires = isCut || (await hasOlder(asset, range, context)) ? 'history:full' : null
  return { ...range, asset, snapshots, total, nextCursor, olderRequires }
}

/** Whether older snapshots exist on any page that this caller's request omits. */
async function hasOlder(asset: Asset, range: HistoryRange, context: RequestContext): Promise<boolean> {
  if (!range.isOpen || holdsScope(context, 'history:full')) return false
  const before = { generatedAt: openSince(context), sequence: 0 }
  const older = await snapshotPage(context).load({ ...range, assetId: asset.assetId, before, limit: 1 })
  return (older?.snapshots.length ?? 0) > 0
}

/** Language codes of the stored analyses of an asset; empty without any. */
export async function getLanguages(assetId: number, context: RequestContext): Promise<readonly string[]> {
  if (!context.datasets.has('analysis')) return []
  const isAnalysed = await analysedAssets(context).load(assetId)
  return isAnalysed === null ? [] : [ANALYSIS_LANGUAGE]
}
