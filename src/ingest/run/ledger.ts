import { randomUUID } from 'node:crypto'
import type { DatasetName } from '../../core/datasets.js'
import { ApiError } from '../../core/errors.js'
import { failureText } from '../../core/failure-text.js'
import type { Provider } from '../../core/providers.js'
import { asUnavailable } from '../../platform/database/connection/connection-loss.js'
import type { Database } from '../../platform/database/database.js'
import { loadHeldLocks } from '../../platform/database/locks/load-held-locks.js'
import { UpstreamError } from '../../platform/http-client/upstream-error.js'
import { type AnyFeed, BrokenBody, RetryLater } from '../feed.js'

/** A longer error text adds nothing, and a database error may quote whole rows. */
const MAX_ERROR_LENGTH = 500

/** Rejected rows that are stored with their reasons; all are counted. */
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
  /** Cells (or rows) that gave no row and were not rejected themselves; 0 by default. */
  readonly absent?: number
  /** Rows that changed in addition to those of the body: withdrawn, derived, or parts of one; 0 by default. */
  readonly alsoChanged?: number
  /** The first rejections, at most MAX_REJECTIONS_KEPT. */
  readonly rejections: readonly Rejection[]
}

/** The columns of a ledger row that identify the feed. */
export interface LedgerFeed extends Pick<AnyFeed<unknown>, 'id' | 'dataset'> {
  readonly provider: Pick<Provider, 'id'>
}

/** The facts of the received body, as far as they are known. */
export interface BodyDigest {
  readonly sha256: string
  readonly bytes: number
}

/** Creates the id of a new run. */
export function newRunId(): string {
  return randomUUID()
}

/** Runs the work of these runs. While it lasts and this process lives, other processes see the runs as alive. */
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

/** The ledger, outside or inside a transaction. */
export type Ledger = Pick<Database, 'prisma' | 'rows'>

/** A run in progress. */
export interface LiveRun {
  readonly feed: string
  readonly startedAt: Date
}

/** Running runs of a dataset that are checked; more are never in progress at once. */
const MAX_LIVE = 100

/** The oldest run of a dataset that a living process holds, or null. */
export async function loadLiveRun(ledger: Ledger, dataset: DatasetName): Promise<LiveRun | null> {
  const running = await ledger.prisma.ingestRun.findMany({
    where: { status: 'running', dataset },
    select: { runId: true, feed: true, startedAt: true },
    orderBy: { startedAt: 'asc' },
    take: MAX_LIVE,
  })
  const held = await loadHeldRuns(ledger, running)
  return running.find(({ runId }) => held.has(nameOfRun(runId))) ?? null
}

/**
 * Closes the rows of runs whose process was killed: those still running that no living process holds. Returns their number.
 */
export async function failDeadRuns(ledger: Ledger, now: Date): Promise<number> {
  return failDead(ledger, await readRunning(ledger), now)
}

interface RunId {
  readonly runId: string
}

function readRunning({ prisma }: Ledger): Promise<readonly RunId[]> {
  return prisma.ingestRun.findMany({ where: { status: 'running' }, select: { runId: true } })
}

async function loadHeldRuns(ledger: Ledger, runs: readonly RunId[]): Promise<ReadonlySet<string>> {
  if (runs.length === 0) return new Set()
  return loadHeldLocks(
    ledger,
    runs.map(({ runId }) => nameOfRun(runId)),
  )
}

async function failDead(ledger: Ledger, running: readonly RunId[], now: Date): Promise<number> {
  const held = await loadHeldRuns(ledger, running)
  const dead = running.filter(({ runId }) => !held.has(nameOfRun(runId)))
  if (dead.length === 0) return 0
  // A run that ended between the two statements is no longer running.
  const { count } = await ledger.prisma.ingestRun.updateMany({
    where: { runId: { in: dead.map(({ runId }) => runId) }, status: 'running' },
    data: { status: 'failed', finishedAt: now, error: 'the process ended during the run', cause: 'gateway' },
  })
  return count
}

/** Inserts the ledger row of a held run with status running, and closes the rows of dead runs. */
export async function startRun(
  ledger: Ledger,
  feed: LedgerFeed,
  run: { readonly runId: string; readonly startedAt: Date; readonly origin: string },
): Promise<void> {
  await failDeadRuns(ledger, run.startedAt)
  await ledger.prisma.ingestRun.create({
    data: { ...run, feed: feed.id, provider: feed.provider.id, dataset: feed.dataset, status: 'running' },
    select: { runId: true },
  })
}

/** Closes the row as succeeded; call it in the transaction of the data, so that both are stored or neither. */
export async function succeedRun(
  { prisma }: Pick<Ledger, 'prisma'>,
  runId: string,
  end: { readonly finishedAt: Date; readonly body: BodyDigest | null; readonly counts: RunCounts },
): Promise<void> {
  const { added, revised, unchanged, rejected, absent = 0, alsoChanged = 0, rejections } = end.counts
  await prisma.ingestRun.updateMany({
    where: { runId },
    data: {
      ...closed('succeeded', end),
      ...{ added, revised, unchanged, rejected, absent, alsoChanged },
      ...(rejections.length > 0 && { rejections: rejections.map((rejection) => ({ ...rejection })) }),
    },
  })
}

/** Closes the row as failed, with the reason; no data of the run were stored. */
export async function failRun(
  { prisma }: Pick<Ledger, 'prisma'>,
  runId: string,
  end: { readonly finishedAt: Date; readonly body: BodyDigest | null; readonly error: unknown },
): Promise<void> {
  const data = { ...closed('failed', end), error: errorText(end.error), cause: causeOf(end.error) }
  await prisma.ingestRun.updateMany({ where: { runId }, data })
}

function closed(
  status: 'succeeded' | 'failed',
  { finishedAt, body }: { readonly finishedAt: Date; readonly body: BodyDigest | null },
) {
  return { status, finishedAt, bodySha256: body?.sha256 ?? null, bodyBytes: body?.bytes ?? null }
}

/** Whose the failure is: of the provider, which did not answer, of the data, which could not be used, or of the gateway. */
function causeOf(error: unknown): 'provider' | 'data' | 'gateway' {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof UpstreamError || at instanceof RetryLater) return 'provider'
    if (at instanceof BrokenBody) return 'data'
  }
  return 'gateway'
}

/** SHA-256 of the body of the feed's newest successful run, or null. */
export async function loadLastBodyHash(
  { prisma }: Pick<Ledger, 'prisma'>,
  feedId: string,
): Promise<string | null> {
  const run = await prisma.ingestRun.findFirst({
    where: { feed: feedId, status: 'succeeded' },
    select: { bodySha256: true },
    orderBy: { startedAt: 'desc' },
  })
  return run?.bodySha256 ?? null
}

/** The error as one line, cut to length, without credentials of URLs and without the gateway's keys. */
export function errorText(error: unknown): string {
  // An error of Prisma's client has several lines about the call. An upstream may be lost by the same causes as the database.
  const known = error instanceof UpstreamError ? error : asUnavailable(error)
  const name = known instanceof Error && !(known instanceof ApiError) ? `${known.name}: ` : ''
  return `${name}${failureText(known)}`.replace(/\s+/g, ' ').slice(0, MAX_ERROR_LENGTH)
}
