import { randomUUID } from 'node:crypto'
import type { DatasetName } from '../core/datasets.js'
import type { Database, Sql } from '../platform/database/database.js'
import { readHeldNames } from '../platform/database/read-held-names.js'
import { type RowOf, statement } from '../platform/database/statement.js'
import type { AnyFeed, Provider } from './feed.js'

/** Longer error texts say nothing more, and a database may quote whole rows in its own. */
const MAX_ERROR_LENGTH = 500

/** Rejected rows that are kept with their reasons; all are counted. */
export const MAX_REJECTIONS_KEPT = 100

export interface Rejection {
  readonly position: string
  readonly reason: string
}

export interface RunCounts {
  readonly added: number
  readonly revised: number
  readonly unchanged: number
  readonly rejected: number
  /** The first of them, at most MAX_REJECTIONS_KEPT. */
  readonly rejections: readonly Rejection[]
}

/** What a row of the ledger says of who runs. */
export interface LedgerFeed extends Pick<AnyFeed<unknown>, 'id' | 'dataset'> {
  readonly provider: Pick<Provider, 'id'>
}

/** What came in, as far as it is known. */
export interface BodyFacts {
  readonly sha256: string
  readonly bytes: number
}

/** An id for a run that begins. */
export function newRunId(): string {
  return randomUUID()
}

/** Runs the work of these runs: while it lasts, and this process lives, no other process takes them for dead. */
export function holdRuns<T>(
  database: Database,
  runIds: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  return database.holding(runIds.map(nameOfRun), work)
}

function nameOfRun(runId: string): string {
  return `ingest run ${runId}`
}

// Plain SQL: a run is closed in the transaction of its data, which writes in bulk; Prisma's client cannot join it.
const RUN_ID = { runId: 'uuid' } as const

type RunId = RowOf<typeof RUN_ID>

const RUNNING = statement(RUN_ID, `select run_id as "runId" from ingest_run where status = 'running'`)

/** Answers the runs that were under way before: the select does not see the row inserted beside it. */
const OPEN = statement(
  RUN_ID,
  `with opened as (
     insert into ingest_run (run_id, feed, provider, dataset, started_at, status, origin)
     values ($1, $2, $3, $4, $5, 'running', $6)
   ) select run_id as "runId" from ingest_run where status = 'running'`,
)

/** A run that is under way. */
export interface LiveRun {
  readonly feed: string
  readonly startedAt: Date
}

const LIVE = statement(
  { runId: 'uuid', feed: 'text', startedAt: 'timestamptz' },
  `select run_id as "runId", feed, started_at as "startedAt" from ingest_run
   where status = 'running' and dataset = $1 order by started_at limit 100`,
)

/** The oldest run of a dataset that a living process holds; null: there is none. */
export async function readLiveRun(sql: Sql, dataset: DatasetName): Promise<LiveRun | null> {
  const running = await sql.rows(LIVE, [dataset])
  if (running.length === 0) return null
  const held = await readHeldNames(
    sql,
    running.map(({ runId }) => nameOfRun(runId)),
  )
  return running.find(({ runId }) => held.has(nameOfRun(runId))) ?? null
}

/**
 * Closes the rows of runs whose process was killed: those still running that no living process holds. Answers how many.
 */
export async function failDeadRuns(sql: Sql, now: Date): Promise<number> {
  return failDead(sql, await sql.rows(RUNNING), now)
}

async function failDead(sql: Sql, running: readonly RunId[], now: Date): Promise<number> {
  if (running.length === 0) return 0
  const held = await readHeldNames(
    sql,
    running.map(({ runId }) => nameOfRun(runId)),
  )
  const dead = running.filter(({ runId }) => !held.has(nameOfRun(runId)))
  // One that ended between the statements is not running any more.
  const failed = await sql.rows(
    `update ingest_run set status = 'failed', finished_at = $2, error = 'the process ended during the run'
     where run_id = any($1::uuid[]) and status = 'running' returning run_id`,
    [dead.map(({ runId }) => runId), now],
  )
  return failed.length
}

/** Opens the ledger row of a run that is held, status running, and closes those of dead runs. */
export async function startRun(
  sql: Sql,
  feed: LedgerFeed,
  run: { readonly runId: string; readonly startedAt: Date; readonly origin: string },
): Promise<void> {
  const row = [run.runId, feed.id, feed.provider.id, feed.dataset, run.startedAt, run.origin]
  await failDead(sql, await sql.rows(OPEN, row), run.startedAt)
}

/** Closes the row as succeeded; call it in the transaction of the data, so that both are stored or neither. */
export async function succeedRun(
  sql: Sql,
  runId: string,
  end: { readonly finishedAt: Date; readonly body: BodyFacts | null; readonly counts: RunCounts },
): Promise<void> {
  const { counts, body } = end
  await sql.rows(
    `update ingest_run set status = 'succeeded', finished_at = $2, body_sha256 = $3, body_bytes = $4, added = $5,
       revised = $6, unchanged = $7, rejected = $8, rejections = $9::jsonb where run_id = $1`,
    [
      runId,
      end.finishedAt,
      body?.sha256 ?? null,
      body?.bytes ?? null,
      counts.added,
      counts.revised,
      counts.unchanged,
      counts.rejected,
      counts.rejections.length > 0 ? JSON.stringify(counts.rejections) : null,
    ],
  )
}

/** Closes the row as failed, with the reason; nothing of the run was kept. */
export async function failRun(
  sql: Sql,
  runId: string,
  end: { readonly finishedAt: Date; readonly body: BodyFacts | null; readonly error: unknown },
): Promise<void> {
  await sql.rows(
    `update ingest_run set status = 'failed', finished_at = $2, body_sha256 = $3, body_bytes = $4, error = $5
     where run_id = $1`,
    [runId, end.finishedAt, end.body?.sha256 ?? null, end.body?.bytes ?? null, errorText(end.error)],
  )
}

const LAST_BODY = statement(
  { sha256: 'text?' },
  `select body_sha256 as sha256 from ingest_run where feed = $1 and status = 'succeeded'
   order by started_at desc limit 1`,
)

/** SHA-256 of the body of the feed's newest run that succeeded; null when there is none. */
export async function readLastBody(sql: Sql, feedId: string): Promise<string | null> {
  const [run] = await sql.rows(LAST_BODY, [feedId])
  return run?.sha256 ?? null
}

/** One line, cut to length, without the credentials of URLs and without keys of our own. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return text
    .replace(/\/\/[^\s/@]+@/g, '//[redacted]@')
    .replace(/mdg_(?:live|test)_\w+/g, 'mdg_[redacted]')
    .replace(/\s+/g, ' ')
    .slice(0, MAX_ERROR_LENGTH)
}
