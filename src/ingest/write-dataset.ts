import type { DatasetName } from '../core/freshness.js'
import type { Known, WriteCounts } from '../platform/bi-temporal/series-table.js'
import { bumpDataset, type DatasetState, readDatasetState } from '../platform/database/data-version.js'
import type { Transaction } from '../platform/database/database.js'
import { IngestError, type Provider, SEED_SOURCE, type Sink } from './feed.js'

export interface DatasetCounts extends WriteCounts {
  /** Synthetic rows removed, as these were the dataset's first live ones. */
  readonly removedSeed: number
}

/** What is written to: a dataset, or the part of it that a provider gives. */
export interface DatasetTarget<Row> {
  readonly dataset: DatasetName
  readonly provider: Provider
  /** Name of the part, where a provider gives several. */
  readonly part?: string
  readonly sink: Sink<Row>
}

/** Held to the end of the transaction: two runs of one dataset would both see its old state. */
export async function lockDataset(tx: Transaction, dataset: DatasetName): Promise<void> {
  await tx.rows('select pg_advisory_xact_lock(hashtext($1))::text', [`ingest ${dataset}`])
}

/**
 * Writes batches of rows and, when that changes something or confirms something newer, the dataset's new version, in the
 * caller's transaction. The first live rows of a dataset take the place of its synthetic ones; synthetic rows never go
 * into live ones (IngestError). Without a single row the dataset stays as it is.
 */
export async function writeDataset<Row>(
  tx: Transaction,
  target: DatasetTarget<Row>,
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  knownAt: Date,
): Promise<DatasetCounts> {
  const { dataset, provider, sink } = target
  await lockDataset(tx, dataset)
  const state = await readDatasetState(tx, dataset)
  const isSeed = provider.id === SEED_SOURCE
  if (isSeed && state !== null && !state.isDevDataset) {
    throw new IngestError(
      `${dataset} holds live data of ${state.source}; synthetic rows are not mixed into it`,
    )
  }
  const known: Known = { knownAt, source: provider.id }
  const total = { added: 0, revised: 0, unchanged: 0, removedSeed: 0 }
  let replacesSeed = !isSeed && state?.isDevDataset === true
  let newest: Date | null = null
  for await (const rows of batches) {
    if (rows.length === 0) continue
    if (replacesSeed) total.removedSeed = await sink.removeSeed(tx)
    replacesSeed = false
    const counts = await sink.write(tx, rows, known)
    total.added += counts.added
    total.revised += counts.revised
    total.unchanged += counts.unchanged
    newest = laterOf(newest, sink.newest(rows, known))
  }
  if (newest !== null) total.revised += (await sink.finish?.(tx, known)) ?? 0
  await noteChange(tx, target, { state, known, newest, counts: total })
  return total
}

async function noteChange<Row>(
  tx: Transaction,
  { dataset, provider, part = provider.id }: DatasetTarget<Row>,
  run: {
    readonly state: DatasetState | null
    readonly known: Known
    readonly newest: Date | null
    readonly counts: DatasetCounts
  },
): Promise<void> {
  const { added, revised, removedSeed } = run.counts
  const before = run.state?.parts.find((other) => other.part === part)?.observedAt ?? null
  const observedAt = laterOf(before, run.newest)
  if (observedAt === null) return
  const isConfirmed = before !== null && before.getTime() !== observedAt.getTime()
  if (added + revised + removedSeed === 0 && !isConfirmed) return
  await bumpDataset(tx, {
    dataset,
    part,
    source: provider.id,
    isDevDataset: provider.id === SEED_SOURCE,
    observedAt,
    changedAt: run.known.knownAt,
    terms: provider,
  })
}

function laterOf(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b
  return new Date(Math.max(a.getTime(), b.getTime()))
}
