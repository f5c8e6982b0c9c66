import type { DatasetName } from '../../core/datasets.js'
import type { Known, WriteCounts, WrittenRows } from '../../platform/bi-temporal/series-table.js'
import type { StageSeries } from '../../platform/bi-temporal/staged-series.js'
import type { Undone } from '../../platform/bi-temporal/undo-rows.js'
import { UNPROVEN, type Wholeness } from '../../platform/bi-temporal/wholeness.js'
import { bumpDataset, type DatasetState, loadDatasetState } from '../../platform/database/data-version.js'
import type { Transaction } from '../../platform/database/database.js'
import { IngestError, type Provider, SEED_SOURCE, type Sink } from '../feed.js'
import { errorText, type Rejection } from './ledger.js'
import type { IngestDeps } from './run.js'

export interface DatasetCounts extends WriteCounts {
  /** Rows that changed beside those given: withdrawn, derived, or parts of one. */
  readonly alsoChanged: number
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
  /** Whether a part of the body can be missing; left out: nothing says that it is whole. */
  readonly wholeness?: Wholeness
  /** Rows that others of the body contradict, asked for when all are written. */
  contradicted?(): readonly Row[]
  /** Hears what the sink could not do at the end. */
  onRefused?(rejection: Rejection): void
}

type Batches<Row> = AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>

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
  batches: Batches<Row>,
  knownAt: Date,
): Promise<DatasetCounts> {
  const { dataset, provider, sink } = target
  await lockDataset(tx, dataset)
  const state = await loadDatasetState(tx, dataset)
  assertNoSeedInLive(target, state)
  const known: Known = { knownAt, source: provider.id }
  let removedSeed = 0
  let mustRemoveSeed = replacesSeed(target, state)
  // A long stretch of the body without a row: a transaction that runs no statement for a minute is ended.
  const keepAlive = () => tx.rows('select 1 as alive')
  const { counts, newest } = await writeEach(
    target,
    keepingAlive(batches, keepAlive),
    known,
    async (rows) => {
      if (mustRemoveSeed) removedSeed = await sink.removeSeed(tx)
      mustRemoveSeed = false
      return sink.write(tx, rows, known)
    },
  )
  const kept = await withoutContradicted(target, counts, (rows) => {
    if (sink.undo === undefined) throw new Error(`rows of ${dataset} cannot be taken back`)
    return sink.undo(tx, rows, known)
  })
  const changedAtEnd = newest === null ? 0 : await finishSink(tx, target, known)
  const total = { ...kept, alsoChanged: kept.alsoChanged + changedAtEnd, removedSeed }
  await noteChange(tx, target, { state, known, newest, counts: total })
  return total
}

/**
 * As `writeDataset` with a transaction of its own, for a sink that stages: others wait for short statements only, and see
 * the whole change at once. `finish` runs in the transaction that publishes it.
 */
export async function writeDatasetStaged<Row, Result>(
  { database, log }: Pick<IngestDeps, 'database' | 'log'>,
  target: DatasetTarget<Row> & { readonly stage: StageSeries<Row> },
  batches: Batches<Row>,
  knownAt: Date,
  finish: (tx: Transaction, counts: DatasetCounts) => Promise<Result>,
): Promise<Result> {
  const { dataset, provider, sink } = target
  const state = await loadDatasetState(database, dataset)
  assertNoSeedInLive(target, state)
  const known: Known = { knownAt, source: provider.id }
  const staged = await target.stage(database, replacesSeed(target, state) ? SEED_SOURCE : null)
  try {
    const { counts, newest } = await writeEach(target, batches, known, (rows) => staged.add(rows, known))
    const kept = await withoutContradicted(target, counts, (rows) => staged.undo(rows))
    return await database.transaction(async (tx) => {
      await lockDataset(tx, dataset)
      const isReplacing = newest !== null && replacesSeed(target, state)
      const total = { ...kept, removedSeed: isReplacing ? await sink.removeSeed(tx) : 0 }
      await staged.publish(tx)
      await noteChange(tx, target, { state, known, newest, counts: total })
      return finish(tx, total)
    })
  } finally {
    // The run has succeeded or failed by now; what is left is the next run's to settle, or the next start's.
    await staged
      .settle()
      .catch((error) => log.error({ dataset, reason: errorText(error) }, 'staged rows are not settled yet'))
  }
}

type Counts = Omit<DatasetCounts, 'removedSeed'>

/** Takes back the rows that others of the body contradict; they count no more. */
async function withoutContradicted<Row>(
  { contradicted }: DatasetTarget<Row>,
  counts: Counts,
  undo: (rows: readonly Row[]) => Promise<Undone>,
): Promise<Counts> {
  const rows = contradicted?.() ?? []
  if (rows.length === 0) return counts
  const { added, revised } = await undo(rows)
  return {
    ...counts,
    added: counts.added - added,
    revised: counts.revised - revised,
    // The others said what was known already, and nothing was written of them.
    unchanged: counts.unchanged - (rows.length - added - revised),
  }
}

async function finishSink<Row>(
  tx: Transaction,
  { sink, wholeness = UNPROVEN, onRefused }: DatasetTarget<Row>,
  known: Known,
): Promise<number> {
  const finished = await sink.finish?.(tx, known, wholeness)
  for (const rejection of finished?.refused ?? []) onRefused?.(rejection)
  return finished?.changed ?? 0
}

async function* keepingAlive<Row>(
  batches: Batches<Row>,
  keepAlive: () => Promise<unknown>,
): AsyncGenerator<readonly Row[]> {
  for await (const rows of batches) {
    if (rows.length === 0) await keepAlive()
    else yield rows
  }
}

/** Writes the batches that have rows; answers their counts and their newest fact. */
async function writeEach<Row>(
  { sink }: DatasetTarget<Row>,
  batches: Batches<Row>,
  known: Known,
  write: (rows: readonly Row[]) => Promise<WrittenRows>,
): Promise<{ readonly counts: Counts; readonly newest: Date | null }> {
  const counts = { added: 0, revised: 0, unchanged: 0, alsoChanged: 0 }
  let newest: Date | null = null
  for await (const rows of batches) {
    if (rows.length === 0) continue
    const { added, revised, unchanged, alsoChanged = 0 } = await write(rows)
    counts.added += added
    counts.revised += revised
    counts.unchanged += unchanged
    counts.alsoChanged += alsoChanged
    newest = laterOf(newest, sink.newest(rows, known))
  }
  return { counts, newest }
}

function assertNoSeedInLive<Row>(
  { dataset, provider }: DatasetTarget<Row>,
  state: DatasetState | null,
): void {
  if (provider.id !== SEED_SOURCE || state === null || state.isDevDataset) return
  throw new IngestError(`${dataset} holds live data of ${state.source}; synthetic rows are not mixed into it`)
}

function replacesSeed<Row>({ provider }: DatasetTarget<Row>, state: DatasetState | null): boolean {
  return provider.id !== SEED_SOURCE && state?.isDevDataset === true
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
  const { added, revised, alsoChanged, removedSeed } = run.counts
  const before = run.state?.parts.find((other) => other.part === part)?.observedAt ?? null
  const observedAt = laterOf(before, run.newest)
  if (observedAt === null) return
  const isConfirmed = before !== null && before.getTime() !== observedAt.getTime()
  if (added + revised + alsoChanged + removedSeed === 0 && !isConfirmed) return
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
