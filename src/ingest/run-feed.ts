import { setImmediate } from 'node:timers/promises'
import { sha256Hex } from '../core/canonical-json.js'
import { BrokenCsv } from '../core/csv.js'
import type { Clock } from '../core/time.js'
import type { Known } from '../platform/bi-temporal/series-table.js'
import { bumpDataset, type DatasetState, readDatasetState } from '../platform/database/data-version.js'
import type { Database, Transaction } from '../platform/database/database.js'
import type { Logger } from '../platform/logger.js'
import { type BoundFeed, BrokenBody, IngestError, type Parsed, SEED_SOURCE } from './feed.js'
import {
  type BodyFacts,
  errorText,
  failRun,
  holdRuns,
  MAX_REJECTIONS_KEPT,
  newRunId,
  type Rejection,
  type RunCounts,
  startRun,
  succeedRun,
} from './ledger.js'
import { type BodySource, bodyOriginOf, type FetchBody, readFeedBody } from './read-body.js'

/** Rows per statement: large enough to be fast, small enough that no other work in the process waits long. */
const BATCH_ROWS = 5_000

export interface RunDeps {
  readonly database: Database
  readonly clock: Clock
  readonly fetchBody: FetchBody
  readonly log: Pick<Logger, 'info' | 'error'>
}

export interface RunProgress {
  /** Share of the body read, 0 to 1. */
  readonly fraction: number
  readonly rows: number
  readonly rejected: number
}

export interface RunSummary extends RunCounts {
  readonly runId: string
  /** Rows read and written or compared: added + revised + unchanged, and doubles within the body. */
  readonly rows: number
  /** Synthetic rows removed, as this was the dataset's first live run. */
  readonly removedSeed: number
  readonly bodySha256: string
  readonly durationMs: number
}

/**
 * Runs a feed once: body, hash, parse, write, all data in one transaction together with the dataset's version and
 * the run's entry in the ledger. It happens whole or not at all; a failed run is in the ledger with its reason.
 * The first live rows of a dataset take the place of its synthetic ones; synthetic rows never go into live ones.
 * Rows that cannot be read are counted and reported and do not hinder the others.
 * Throws IngestError (BrokenBody among them) with a public reason, or the database's error.
 */
export function runFeed(
  deps: RunDeps,
  bound: BoundFeed,
  source: BodySource,
  onProgress: (progress: RunProgress) => void = () => {},
): Promise<RunSummary> {
  const runId = newRunId()
  return holdRuns(deps.database, [runId], () => runHeld(deps, bound, source, { runId, onProgress }))
}

async function runHeld(
  deps: RunDeps,
  bound: BoundFeed,
  source: BodySource,
  { runId, onProgress }: { readonly runId: string; readonly onProgress: LoadContext['onProgress'] },
): Promise<RunSummary> {
  const { database, clock, log } = deps
  const { feed } = bound
  const began = performance.now()
  const startedAt = clock.now()
  await startRun(database, feed, { runId, startedAt, origin: bodyOriginOf(feed, source, startedAt) })
  let facts: BodyFacts | null = null
  try {
    const body = await readFeedBody(feed, source, { now: startedAt, fetchBody: deps.fetchBody })
    const known: BodyFacts = { sha256: sha256Hex(body), bytes: body.length }
    facts = known
    const loaded = await database.transaction(async (tx) => {
      const result = await load(tx, bound, body, { clock, onProgress })
      await succeedRun(tx, runId, { finishedAt: clock.now(), body: known, counts: result })
      return result
    })
    const durationMs = Math.round(performance.now() - began)
    log.info({ feed: feed.id, runId, ...loaded, rejections: undefined, durationMs }, 'feed ingested')
    return { runId, ...loaded, bodySha256: known.sha256, durationMs }
  } catch (cause) {
    const error = cause instanceof BrokenCsv ? new BrokenBody(cause.message, { cause }) : cause
    log.error({ feed: feed.id, runId, reason: errorText(error) }, 'feed failed')
    await failRun(database, runId, { finishedAt: clock.now(), body: facts, error }).catch((later) =>
      log.error({ runId, reason: errorText(later) }, 'the failed run could not be noted'),
    )
    throw error
  }
}

interface Loaded extends RunCounts {
  readonly rows: number
  readonly removedSeed: number
}

interface LoadContext {
  readonly clock: Clock
  readonly onProgress: (progress: RunProgress) => void
}

async function load(
  tx: Transaction,
  bound: BoundFeed,
  body: Uint8Array,
  context: LoadContext,
): Promise<Loaded> {
  const { feed } = bound
  // Two runs of one dataset would both see its old state; the second waits here for the first to commit.
  await tx.rows('select pg_advisory_xact_lock(hashtext($1))::text', [`ingest ${feed.dataset}`])
  const state = await readDatasetState(tx, feed.dataset)
  const isSeed = feed.provider.id === SEED_SOURCE
  if (isSeed && state !== null && !state.isDevDataset) {
    throw new IngestError(
      `${feed.dataset} holds live data of ${state.source}; synthetic rows are not mixed into it`,
    )
  }
  const known = { knownAt: context.clock.now(), source: feed.provider.id }
  const replacesSeed = !isSeed && state?.isDevDataset === true
  const loaded = await writeBatches(tx, bound, body, { ...context, known, replacesSeed })
  await noteChange(tx, bound, {
    known,
    state,
    isChanged: loaded.added + loaded.revised + loaded.removedSeed > 0,
  })
  return loaded
}

async function writeBatches(
  tx: Transaction,
  { feed, sink }: BoundFeed,
  body: Uint8Array,
  context: LoadContext & { readonly known: Known; readonly replacesSeed: boolean },
): Promise<Loaded> {
  const total = { rows: 0, added: 0, revised: 0, unchanged: 0, removedSeed: 0, rejected: 0 }
  const rejections: Rejection[] = []
  let fraction = 0
  const parsed = feed.parse(body, {
    now: context.known.knownAt,
    onRead: (share) => {
      fraction = share
    },
  })
  for (const batch of batches(parsed)) {
    const isFirst = total.rows === 0 && batch.rows.length > 0
    if (isFirst && context.replacesSeed) total.removedSeed = await sink.removeSeed(tx)
    const counts = await sink.write(tx, batch.rows, context.known)
    total.rows += batch.rows.length
    total.added += counts.added
    total.revised += counts.revised
    total.unchanged += counts.unchanged
    total.rejected += batch.rejections.length
    rejections.push(...batch.rejections.slice(0, MAX_REJECTIONS_KEPT - rejections.length))
    context.onProgress({ fraction, rows: total.rows, rejected: total.rejected })
    await setImmediate()
  }
  return { ...total, rejections }
}

/** A body without a single good row leaves the dataset as it is, synthetic or not. */
async function noteChange(
  tx: Transaction,
  { feed, sink }: BoundFeed,
  run: { readonly known: Known; readonly state: DatasetState | null; readonly isChanged: boolean },
): Promise<void> {
  const observedAt = await sink.observedAt(tx)
  if (observedAt === null) return
  const isConfirmed = run.state !== null && run.state.observedAt.getTime() !== observedAt.getTime()
  if (!run.isChanged && !isConfirmed) return
  await bumpDataset(tx, {
    dataset: feed.dataset,
    source: run.known.source,
    isDevDataset: run.known.source === SEED_SOURCE,
    observedAt,
    changedAt: run.known.knownAt,
  })
}

interface Batch {
  readonly rows: unknown[]
  readonly rejections: Rejection[]
}

function* batches(parsed: Iterable<Parsed<unknown>>): Generator<Batch> {
  let batch: Batch = { rows: [], rejections: [] }
  for (const item of parsed) {
    if (item.kind === 'row') batch.rows.push(item.row)
    else batch.rejections.push({ position: item.position, reason: item.reason })
    if (batch.rows.length + batch.rejections.length < BATCH_ROWS) continue
    yield batch
    batch = { rows: [], rejections: [] }
  }
  if (batch.rows.length + batch.rejections.length > 0) yield batch
}
