import { randomUUID } from 'node:crypto'
import { canonicalJson, sha256Hex } from '../../core/canonical-json.js'
import { ANALYSIS_CHANGE } from '../../generated/columns.js'
import { appendChangesText, lockChangeOrder } from '../../platform/changes/change-order.js'
import type { Transaction } from '../../platform/database/database.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import {
  arraysOf,
  column,
  columnNames,
  jsonOfRows,
  jsonRows,
  orNull,
  type RowOf,
  snakeCase,
  statement,
  without,
} from '../../platform/database/statement.js'
import { compareSnapshots } from './changes/difference.js'
import {
  type AnalysisType,
  computeChainHash,
  MAX_SUMMARY_LENGTH,
  type NewSnapshot,
  type Snapshot,
  type SnapshotSigner,
} from './model.js'
import {
  chainText,
  isOfSnapshot,
  OWN_COLUMNS,
  SNAPSHOT_COLUMNS,
  SNAPSHOT_LIST,
  snapshotFromRow,
  visibleAt,
} from './snapshots/snapshot-store.js'

export interface AppendOptions {
  /** When the snapshots become known. */
  readonly knownAt: Date
  /** Provider of the underlying data, or seed. Only snapshots of the dataset's current source are served. */
  readonly source: string
  readonly signer: SnapshotSigner
}

/**
 * Adds snapshots with their hashes, chain and signatures, and the changes from their predecessors. Only one writer works
 * until the end of the transaction, so that changes have the order of commits. Snapshots of one asset and type are added
 * one after another in the given order; four statements suffice for snapshots of different chains. A snapshot becomes
 * known no earlier than its time and than the chain's newest, and a correction at least 1 ms after the corrected one,
 * even if clocks differ. The caller must record the dataset's new version (`bumpDataset`) in the same transaction.
 * Throws RangeError without writing for content that may not be stored, and if the snapshot to supersede does not exist,
 * has another asset, type or source, is later, or is already superseded.
 */
export async function appendSnapshots(
  tx: Transaction,
  snapshots: readonly NewSnapshot[],
  options: AppendOptions,
): Promise<{ readonly added: readonly Snapshot[] }> {
  for (const snapshot of snapshots) assertContent(snapshot)
  await lockChangeOrder(tx)
  const added: Snapshot[] = []
  for (const round of roundsOf(snapshots)) added.push(...(await appendRound(tx, round, options)))
  return { added }
}

/** Splits into lists with at most one snapshot per asset and type, in order. */
function roundsOf(snapshots: readonly NewSnapshot[]): readonly (readonly NewSnapshot[])[] {
  const rounds: NewSnapshot[][] = []
  const countByChain = new Map<string, number>()
  for (const snapshot of snapshots) {
    const place = countByChain.get(chainText(snapshot)) ?? 0
    countByChain.set(chainText(snapshot), place + 1)
    const round = rounds[place]
    if (round === undefined) rounds.push([snapshot])
    else round.push(snapshot)
  }
  return rounds
}

function assertContent({ content }: NewSnapshot): void {
  const { summary, sentiment_score, signals } = content
  if (summary.length > MAX_SUMMARY_LENGTH) {
    throw new RangeError(`a summary has at most ${MAX_SUMMARY_LENGTH} characters; got ${summary.length}`)
  }
  if (sentiment_score !== null && !(Math.abs(sentiment_score) <= 1)) {
    throw new RangeError(`a sentiment score is between -1 and 1; got ${sentiment_score}`)
  }
  if (new Set(signals.map(({ name }) => name)).size !== signals.length) {
    throw new RangeError('two signals of one snapshot have the same name')
  }
}

async function appendRound(
  tx: Transaction,
  round: readonly NewSnapshot[],
  options: AppendOptions,
): Promise<readonly Snapshot[]> {
  const befores = await loadPredecessors(tx, round, options.source)
  const links = round.map((snapshot) => {
    const before = befores.get(chainText(snapshot)) ?? NOTHING_BEFORE
    return { before, added: complete(snapshot, before, options) }
  })
  await insertSnapshots(
    tx,
    links.map(({ added }) => added),
  )
  await insertChanges(
    tx,
    links.flatMap(({ before: { previous }, added }) =>
      // Equal content hashes mean that nothing changed.
      previous === null || previous.contentHash === added.contentHash ? [] : [changeRow(previous, added)],
    ),
    options,
  )
  return links.map(({ added }) => added)
}

/** The predecessors of a new snapshot. */
interface Before {
  /** The newest of the chain by arrival, whose hash it links to. */
  readonly head: { readonly sequence: number; readonly chainHash: string; readonly knownFrom: Date } | null
  /** The snapshot that it is compared with: the one it supersedes, or else the visible one before it. */
  readonly previous: Snapshot | null
  readonly isSuperseded: boolean
}

const NOTHING_BEFORE: Before = { head: null, previous: null, isSuperseded: false }

const BEFORE_COLUMNS = {
  ...orNull(SNAPSHOT_COLUMNS),
  chainAssetId: 'int4',
  chainAnalysisType: column<AnalysisType>('analysis_type'),
  headSequence: 'int4',
  headChainHash: 'text',
  headKnownFrom: 'timestamptz',
  isSuperseded: 'bool',
} as const

// Plain SQL here and below: one statement for all chains.
const READ_BEFORES = statement(
  'lacks newest per key',
  BEFORE_COLUMNS,
  `select chain.asset_id as "chainAssetId", chain.analysis_type as "chainAnalysisType",
    head.sequence as "headSequence", head.chain_hash as "headChainHash", head.known_from as "headKnownFrom",
    exists (select 1 from analysis_snapshot n where n.supersedes = chain.supersedes) as "isSuperseded", previous.*
  from unnest($1::int[], $2::analysis_type[], $3::timestamptz[], $4::uuid[])
    as chain(asset_id, analysis_type, generated_at, supersedes)
  cross join lateral (
    select h.sequence, h.chain_hash, h.known_from from analysis_snapshot h
    where h.asset_id = chain.asset_id and h.analysis_type = chain.analysis_type
    order by h.sequence desc limit 1
  ) as head
  left join lateral (
    select ${SNAPSHOT_LIST} from analysis_snapshot s
    where s.asset_id = chain.asset_id and s.analysis_type = chain.analysis_type and s.source = $5
      and s.generated_at <= chain.generated_at
      and (s.snapshot_id = chain.supersedes or (chain.supersedes is null and ${visibleAt("'infinity'")}))
    order by s.generated_at desc, s.sequence desc limit 1
  ) as previous on true`,
)

async function loadPredecessors(
  tx: Transaction,
  round: readonly NewSnapshot[],
  source: string,
): Promise<ReadonlyMap<string, Before>> {
  const rows = await tx.rows(READ_BEFORES, [
    ...arraysOf(round, 'assetId', 'analysisType', 'generatedAt', 'supersedes'),
    source,
  ])
  return new Map(rows.map(beforeOf))
}

function beforeOf(row: RowOf<typeof BEFORE_COLUMNS>): readonly [string, Before] {
  const { chainAssetId, chainAnalysisType, headSequence, headChainHash, headKnownFrom, ...rest } = row
  const { isSuperseded, ...previous } = rest
  const before: Before = {
    head: { sequence: headSequence, chainHash: headChainHash, knownFrom: headKnownFrom },
    previous: isOfSnapshot(previous) ? snapshotFromRow(previous) : null,
    isSuperseded,
  }
  return [chainText({ assetId: chainAssetId, analysisType: chainAnalysisType }), before]
}

/** A snapshot with all values that depend on its predecessors. */
function complete(
  snapshot: NewSnapshot,
  before: Before,
  { knownAt, source, signer }: AppendOptions,
): Snapshot {
  assertCorrection(snapshot, before)
  const { head } = before
  const snapshotId = snapshot.snapshotId ?? randomUUID()
  const contentText = canonicalJson(snapshot.content)
  const contentHash = `sha256:${sha256Hex(contentText)}`
  const link = {
    previous: head?.chainHash ?? null,
    contentHash,
    snapshotId,
    generatedAt: snapshot.generatedAt,
  }
  const chainHash = computeChainHash(link)
  const notBefore = (head?.knownFrom.getTime() ?? 0) + (snapshot.supersedes === null ? 0 : 1)
  return {
    ...snapshot,
    snapshotId,
    knownFrom: new Date(Math.max(knownAt.getTime(), notBefore, snapshot.generatedAt.getTime())),
    sequence: (head?.sequence ?? 0) + 1,
    contentText,
    contentHash,
    chainHash,
    signature: signer?.sign(chainHash) ?? null,
    signingKeyId: signer?.keyId ?? null,
    source,
  }
}

function assertCorrection({ supersedes, assetId, analysisType }: NewSnapshot, before: Before): void {
  if (supersedes === null) return
  if (before.isSuperseded)
    throw new RangeError(`${supersedes} is already superseded; correct its successor instead`)
  if (before.previous !== null) return
  throw new RangeError(
    `${supersedes} cannot be superseded: asset ${assetId}, ${analysisType} has no such earlier snapshot of this source`,
  )
}

/** Each is the only one of its chain, and counts on from the newest of its chain and source. */
async function insertSnapshots(tx: Transaction, snapshots: readonly Snapshot[]): Promise<void> {
  await tx.rows(
    `insert into analysis_snapshot (${columnNames(OWN_COLUMNS)}, content, standing)
     select ${columnNames(OWN_COLUMNS, 'given')}, given.content_text,
       coalesce(newest.standing, 0) + case when given.supersedes is null then 1 else 0 end
     from (${jsonRows(SNAPSHOT_COLUMNS, '$1')}) as given
     left join lateral (
       select k.standing from analysis_snapshot k
       where k.asset_id = given.asset_id and k.analysis_type = given.analysis_type and k.source = given.source
       order by k.known_from desc, k.sequence desc limit 1
     ) as newest on true`,
    [jsonOfRows(snapshots)],
  )
}

function changeRow(previous: Snapshot, added: Snapshot) {
  const { changeType, changes, textChanged, similarity } = compareSnapshots(previous, added)
  return {
    assetId: added.assetId,
    analysisType: added.analysisType,
    changeType,
    fromSnapshotId: previous.snapshotId,
    toSnapshotId: added.snapshotId,
    changedAt: added.generatedAt,
    changes,
    textChanged,
    similarity,
  }
}

const CHANGE_COLUMNS = without(ANALYSIS_CHANGE, 'diffId', 'computedAt', 'place')

const APPEND_CHANGES = appendChangesText({
  table: 'analysis_change',
  kinds: ['analysis_type', 'change_type'],
  isOfOneSource: true,
  changes: jsonRows({ ...CHANGE_COLUMNS, number: 'int4' }, '$1'),
  columns: Object.keys(CHANGE_COLUMNS).map(snakeCase),
})

async function insertChanges(
  tx: Transaction,
  changes: readonly ReturnType<typeof changeRow>[],
  { knownAt, source }: AppendOptions,
): Promise<void> {
  const rows = changes.map((change, number) => ({ ...change, number, source }))
  if (rows.length > 0) await tx.rows(APPEND_CHANGES, [jsonOfRows(rows), knownAt, source])
}

/** Time of the newest snapshot of a source, from which the age of the dataset counts; null without one. */
export async function loadNewestGeneration(prisma: PrismaModels, source: string): Promise<Date | null> {
  const newest = await prisma.analysisSnapshot.findFirst({
    where: { source },
    orderBy: { generatedAt: 'desc' },
    select: { generatedAt: true },
  })
  return newest?.generatedAt ?? null
}
