import type { DatasetName } from '../../core/datasets.js'
import type { Provider } from '../../core/providers.js'
import { DAY_MS, laterOf } from '../../core/time.js'
import type { Known, WriteCounts, WrittenRows } from '../../platform/bi-temporal/series-table.js'
import type { StageSeries } from '../../platform/bi-temporal/staged-series.js'
import type { Undone } from '../../platform/bi-temporal/undo-rows.js'
import { UNPROVEN, type Wholeness } from '../../platform/bi-temporal/withdraw/wholeness.js'
import type { Queries, Transaction } from '../../platform/database/database.js'
import { bumpDataset, MAX_TOUCHED_GRAINS } from '../../platform/database/versions/bump-dataset.js'
import type { DatasetState } from '../../platform/database/versions/data-version.js'
import { loadDatasetState } from '../../platform/database/versions/dataset-states-store.js'
import { IngestError, SEED_SOURCE, type Sink, type TouchedGrains } from '../feed.js'
import { errorText, type Rejection } from './ledger.js'
import { lockDataset } from './lock-dataset.js'
import type { IngestDeps } from './run.js'

/** Two years before the first run, whose clock is some days back. */
const SEED_KNOWN_DAYS = 731

export interface DatasetCounts extends WriteCounts {
  /** Rows that changed in addition to the given ones: withdrawn, derived, or parts of one. */
  readonly alsoChanged: number
  /** Synthetic rows that were removed because these were the dataset's first live rows. */
  readonly removedSeed: number
}

/** The target of a write: a dataset, or the part of it that a provider supplies. */
export interface DatasetTarget<Row> {
  readonly dataset: DatasetName
  readonly provider: Provider
  /** Name of the part, if a provider supplies several. */
  readonly part?: string
  readonly sink: Sink<Row>
  /** Whether a part of the body can be missing. By default the body may be incomplete. */
  readonly wholeness?: Wholeness
  /** Rows that others of the body contradict; called after all rows are written. */
  contradicted?(): readonly Row[]
  /** Called for each thing that the sink could not do in `finish`. */
  onRefused?(rejection: Rejection): void
}

type Batches<Row> = AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>

/**
 * Writes batches of rows in the caller's transaction, and the dataset's new version if that changes a row or confirms a
 * newer fact. The first live rows of a dataset replace its synthetic rows. Throws IngestError for synthetic rows in a
 * dataset with live rows. Without any row the dataset does not change.
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
  const known = toKnown(provider, knownAt)
  let removedSeed = 0
  let mustRemoveSeed = replacesSeed(target, state)
  // For a long part of the body without a row: a transaction without a statement for a minute is ended.
  const keepAlive = () => tx.rows('select 1 as alive')
  const { counts, newest, touched } = await writeEach(
    target,
    tx,
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
  await noteChange(tx, target, { state, known, newest, counts: total, touched })
  return total
}

/**
 * Like `writeDataset`, for a sink that stages, in its own transactions: other work waits for short statements only, and
 * sees the whole change at once. `finish` runs in the transaction that publishes the change.
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
  const known = toKnown(provider, knownAt)
  const staged = await target.stage(database, replacesSeed(target, state) ? SEED_SOURCE : null)
  try {
    const write = (rows: readonly Row[]) => staged.add(rows, known)
    const { counts, newest, touched } = await writeEach(target, database, batches, known, write)
    const kept = await withoutContradicted(target, counts, (rows) => staged.undo(rows))
    return await database.transaction(async (tx) => {
      await lockDataset(tx, dataset)
      const isReplacing = newest !== null && replacesSeed(target, state)
      const total = { ...kept, removedSeed: isReplacing ? await sink.removeSeed(tx) : 0 }
      await staged.publish(tx)
      await noteChange(tx, target, { state, known, newest, counts: total, touched })
      return finish(tx, total)
    })
  } finally {
    // The run has already succeeded or failed. The next run, or the next start, settles the remaining staged rows.
    await staged
      .settle()
      .catch((error) => log.error({ dataset, reason: errorText(error) }, 'staged rows are not settled yet'))
  }
}

type Counts = Omit<DatasetCounts, 'removedSeed'>

/** Undoes the rows that others of the body contradict, and removes them from the counts. */
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
    // The other contradicted rows equal the stored ones, so nothing was written for them.
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

interface Written {
  readonly counts: Counts
  /** Null without any row. */
  readonly newest: Date | null
  /** Null if the rows may belong to any grain. */
  readonly touched: TouchedGrains | null
}

/** Writes the batches that have rows; returns their counts, their newest fact and their grains. */
async function writeEach<Row>(
  { sink }: DatasetTarget<Row>,
  sql: Queries,
  batches: Batches<Row>,
  known: Known,
  write: (rows: readonly Row[]) => Promise<WrittenRows>,
): Promise<Written> {
  const counts = { added: 0, revised: 0, unchanged: 0, alsoChanged: 0 }
  let newest: Date | null = null
  let touched: TouchedGrains | null = new Map()
  for await (const rows of batches) {
    if (rows.length === 0) continue
    const { added, revised, unchanged, alsoChanged = 0 } = await write(rows)
    counts.added += added
    counts.revised += revised
    counts.unchanged += unchanged
    counts.alsoChanged += alsoChanged
    newest = laterOf(newest, sink.newest?.(rows, known) ?? known.knownAt)
    touched = touched === null ? null : mergeTouched(touched, await sink.touched?.(sql, rows, known))
  }
  return { counts, newest, touched }
}

/** Null if one is unknown, or if there are too many for one commit. */
function mergeTouched(a: TouchedGrains, b: TouchedGrains | null | undefined): TouchedGrains | null {
  if (b === null || b === undefined) return null
  const merged = new Map(a)
  for (const [grain, instant] of b) merged.set(grain, laterOf(merged.get(grain) ?? null, instant) ?? instant)
  return merged.size <= MAX_TOUCHED_GRAINS ? merged : null
}

/** Synthetic rows are known since their facts could be learned, so that an empty gateway has a past. */
function toKnown({ id: source }: Provider, knownAt: Date): Known {
  if (source !== SEED_SOURCE) return { knownAt, source }
  return { knownAt, source, knownSince: new Date(knownAt.getTime() - SEED_KNOWN_DAYS * DAY_MS) }
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
  { dataset, provider, part = provider.id, sink }: DatasetTarget<Row>,
  run: {
    readonly state: DatasetState | null
    readonly known: Known
    readonly newest: Date | null
    readonly counts: DatasetCounts
    readonly touched: TouchedGrains | null
  },
): Promise<void> {
  const { added, revised, alsoChanged, removedSeed } = run.counts
  const before = run.state?.parts.find((other) => other.part === part)?.observedAt ?? null
  const observedAt = laterOf(before, run.newest)
  if (observedAt === null) return
  const isConfirmed = before !== null && before.getTime() !== observedAt.getTime()
  if (added + revised + alsoChanged + removedSeed === 0 && !isConfirmed) return
  const isOfRows = removedSeed === 0 && (alsoChanged === 0 || sink.changesTouchedOnly === true)
  const touched = isOfRows ? run.touched : null
  await bumpDataset(tx, {
    dataset,
    part,
    source: provider.id,
    isDevDataset: provider.id === SEED_SOURCE,
    observedAt,
    changedAt: run.known.knownAt,
    terms: provider,
    ...(touched === null ? {} : { touched }),
  })
}
