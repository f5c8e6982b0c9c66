import { parquetFile } from '../../platform/columnar/parquet.js'
import type { Database } from '../../platform/database/database.js'
import type {
  DatasetPart,
  DatasetState,
  DatasetStates,
} from '../../platform/database/versions/data-version.js'
import { loadDatasetStates } from '../../platform/database/versions/dataset-states-store.js'
import type { Signer } from '../../platform/secrets/signing.js'
import { applyReleaseRetention } from './apply-retention.js'
import { loadGaps } from './gaps.js'
import {
  RELEASE_FORMAT,
  type ReleaseFile,
  type ReleaseManifest,
  type ReleaseSeal,
  sealOf,
} from './manifest.js'
import {
  loadMethodologyVersions,
  loadPartitions,
  loadSourceCounts,
  type Partition,
  type ReleaseScope,
  readRows,
} from './rows-store.js'
import {
  type ReleaseDraft,
  type ReleaseStore,
  releaseLock,
  type StoredRelease,
} from './storage/release-store.js'
import { type ReleaseTable, releaseColumns } from './tables/release-table.js'

export interface ReleaseDependencies {
  readonly database: Database
  readonly releases: ReleaseStore
  /** Null: releases are not signed. */
  readonly signer: Signer | null
  /** Aborts the work between two batches. */
  readonly signal: AbortSignal
  /** Which older releases stay; by default all. */
  /** How many of the newest releases stay; null: all. */
  readonly keep?: number | null
  /** Called after each file. */
  readonly onFile?: (file: ReleaseFile) => void
}

/** A dataset of which nothing can be released, or that changed meanwhile. */
export class NotReleasedError extends Error {
  override readonly name: string = 'NotReleasedError'
}

/** Rows were removed while they were read. Another run may succeed. */
export class RowsRemovedError extends NotReleasedError {
  override readonly name = 'RowsRemovedError'

  constructor(dataset: string) {
    super(`${dataset}: rows were removed meanwhile; run the command again`)
  }
}

export interface WrittenRelease {
  /** Directory or s3:// address. */
  readonly place: string
  readonly manifest: ReleaseManifest
  readonly seal: ReleaseSeal
  /** False if the newest release already has this state. */
  readonly isNew: boolean
  /** Bytes of files that the newest release before has too; they are stored once. */
  readonly sharedBytes: number
  /** Ids of the older releases that were removed. */
  readonly removed: readonly string[]
}

/**
 * Writes a release of a dataset: what was known at its last commit. Rows are read by the instant, not in one long
 * transaction, because a row that is known never changes but for the instant that ends it. A second run on the same state
 * gives the same bytes.
 */
export async function writeRelease(deps: ReleaseDependencies, table: ReleaseTable): Promise<WrittenRelease> {
  const { database, releases, keep = null } = deps
  const { dataset } = table
  return database.holding([releaseLock(dataset)], async () => {
    const written = await writeChanged(deps, table)
    const removed = await applyReleaseRetention(releases, dataset, keep)
    return { ...written, removed }
  })
}

async function writeChanged(deps: ReleaseDependencies, table: ReleaseTable): Promise<NewestRelease> {
  const { database, releases } = deps
  const { dataset } = table
  const states = await loadDatasetStates(database)
  const state = states.get(table.partOf)
  if (state === undefined) throw new NotReleasedError(`${dataset}: nothing was ingested yet`)
  const [newest] = await releases.list(dataset)
  const previous = newest === undefined ? null : await releases.read(dataset, newest.releaseId)
  if (previous === null || previous.manifest.known_at !== state.changedAt.toISOString())
    return writeState(deps, { table, state, previous, leftOut: forbiddenSources(table, states) })
  const { manifest, seal, releaseId } = previous
  return { place: releases.placeOf(dataset, releaseId), manifest, seal, isNew: false, sharedBytes: 0 }
}

type NewestRelease = Omit<WrittenRelease, 'removed'>

const NO_ROW_MAY_BE_RELEASED = 'no row may be released, because the terms of its providers forbid passing on'

interface Work {
  readonly table: ReleaseTable
  readonly state: DatasetState
  readonly previous: StoredRelease | null
  /** Providers whose terms forbid passing on. */
  readonly leftOut: readonly string[]
}

async function writeState(deps: ReleaseDependencies, work: Work): Promise<NewestRelease> {
  const { database, signer, releases } = deps
  const { table, state, previous, leftOut } = work
  const scope: ReleaseScope = { knownAt: state.changedAt, leftOut }
  const partitions = await loadPartitions(database, table, scope)
  if (partitions.length === 0) {
    const isEmpty = (await loadSourceCounts(database, table, scope)).length === 0
    throw new NotReleasedError(`${table.dataset}: ${isEmpty ? 'no row is stored' : NO_ROW_MAY_BE_RELEASED}`)
  }
  const draft = await releases.begin(table.dataset, previous)
  const files: ReleaseFile[] = []
  let sharedBytes = 0
  for (const partition of partitions) {
    const { file, isShared } = await writePartition(deps, { table, scope, partition, draft })
    if (isShared) sharedBytes += file.bytes
    files.push(file)
    deps.onFile?.(file)
  }
  const manifest = await manifestOf(deps, { ...work, scope, files })
  const again = await loadPartitions(database, table, scope)
  if (JSON.stringify(again) !== JSON.stringify(partitions)) throw new RowsRemovedError(table.dataset)
  const seal = sealOf(manifest, signer)
  await draft.publish(manifest, seal)
  const place = releases.placeOf(table.dataset, seal.release_id)
  return { place, manifest, seal, isNew: true, sharedBytes }
}

interface PartitionWork {
  readonly table: ReleaseTable
  readonly scope: ReleaseScope
  readonly partition: Partition
  readonly draft: ReleaseDraft
}

async function writePartition(
  { database, signal }: ReleaseDependencies,
  { table, scope, partition, draft }: PartitionWork,
): Promise<{ readonly file: ReleaseFile; readonly isShared: boolean }> {
  const name = `${partition.name}.parquet`
  let rows = 0
  async function* batches() {
    for await (const batch of readRows(database, table, partition.name, scope)) {
      signal.throwIfAborted()
      rows += batch.length
      yield batch
    }
  }
  // Without the instant of the release: a file whose rows did not change has the same bytes in the next release.
  const metadata = { format: RELEASE_FORMAT, dataset: table.dataset }
  const { bytes, sha256, isShared } = await draft.addFile(
    name,
    parquetFile(releaseColumns(table), batches(), metadata),
  )
  if (rows !== partition.rows) throw new RowsRemovedError(table.dataset)
  const file = { name, sha256, bytes, rows, first_period: partition.first, last_period: partition.last }
  return { file, isShared }
}

async function manifestOf(
  { database }: ReleaseDependencies,
  {
    table,
    state,
    previous,
    scope,
    files,
  }: Work & { readonly scope: ReleaseScope; readonly files: readonly ReleaseFile[] },
): Promise<ReleaseManifest> {
  const counts = await loadSourceCounts(database, table, scope)
  const { gaps, further } = await loadGaps(database, table, scope)
  return {
    format: RELEASE_FORMAT,
    dataset: table.dataset,
    known_at: scope.knownAt.toISOString(),
    is_dev_dataset: state.isDevDataset,
    rows: sum(files.map(({ rows }) => rows)),
    bytes: sum(files.map(({ bytes }) => bytes)),
    files,
    schema: releaseColumns(table).map(({ name, type, scale = 0, unit, description }) => {
      return { name, type: type === 'decimal' ? `decimal(38, ${scale})` : type, unit, description }
    }),
    sorted_by: [...table.key, 't.known_from'].map((key) => /^t\.(\w+)/.exec(key)?.[1] ?? key),
    gaps,
    further_gaps: further,
    sources: counts
      .filter(({ rows }) => rows > 0)
      .map(({ source, rows }) => ({ source, rows, ...termsOf(state.parts, source) })),
    left_out: counts
      .filter(({ leftOut }) => leftOut > 0)
      .map(({ source, leftOut }) => ({ source, rows: leftOut, reason: leftOutReason(scope, source) })),
    methodology_versions: await loadMethodologyVersions(database, table, scope),
    predecessor:
      previous === null
        ? null
        : { release_id: previous.seal.release_id, content_hash: previous.seal.content_hash },
  }
}

function forbiddenSources({ partOf, derivedFrom }: ReleaseTable, states: DatasetStates): readonly string[] {
  const parts = [partOf, ...(derivedFrom?.datasets ?? [])].flatMap((name) => states.get(name)?.parts ?? [])
  return [...new Set(parts.filter(isForbidden).map(({ source }) => source))].sort()
}

function leftOutReason({ leftOut }: ReleaseScope, source: string): string {
  const terms = leftOut.includes(source) ? 'its terms' : 'the terms of figures that they were derived from'
  return `${terms} do not allow commercial use`
}

/** Terms that forbid commercial use forbid passing on. Synthetic rows are the gateway's own. */
function isForbidden({ licensedForCommercialUse, isDevDataset }: DatasetPart): boolean {
  return licensedForCommercialUse === false && !isDevDataset
}

function termsOf(parts: readonly DatasetPart[], source: string) {
  const part = parts.find((known) => known.source === source)
  return { licence: part?.licence ?? null, attribution: part?.attribution ?? null }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
