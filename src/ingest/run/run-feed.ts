import { setImmediate } from 'node:timers/promises'
import { sha256Hex } from '../../core/canonical-json.js'
import type { Transaction } from '../../platform/database/database.js'
import { BrokenCsv } from '../bodies/csv/csv.js'
import {
  type AnyFeed,
  type BoundFeed,
  BrokenBody,
  NotInFormat,
  type ParseContext,
  type Parsed,
  SEED_SOURCE,
  type StreamFeed,
} from '../feed.js'
import {
  type BodySource,
  type BodyStream,
  type DownloadBody,
  describeBodySource,
  type FetchBody,
  loadFeedBody,
  withBodyStream,
} from './feed-body.js'
import { digestPages, loadFeedPages } from './feed-pages.js'
import { type BodyDigest, errorText, MAX_REJECTIONS_KEPT, type Rejection, type RunCounts } from './ledger.js'
import { type IngestDeps, type OpenRun, runOneInLedger } from './run.js'
import { type DatasetCounts, writeDataset, writeDatasetStaged } from './write-dataset.js'

/** If more rows contradict each other, the table has probably lost a column. */
const MAX_CONTRADICTED = 10_000

/** Rows per statement: large enough to be fast, small enough not to delay other work in the process. */
const BATCH_ROWS = 5_000

export interface RunDeps extends IngestDeps {
  readonly fetchBody: FetchBody
  /** For feeds that are read as streams. */
  readonly downloadBody?: DownloadBody
}

export interface RunProgress {
  /** Share of the body read, 0 to 1. */
  readonly fraction: number
  readonly rows: number
  readonly rejected: number
}

export interface RunSummary extends Required<RunCounts> {
  readonly runId: string
  /** What was read of the body, in the unit of `Parsed`: added + revised + unchanged + rejected + absent. */
  readonly read: number
  /** The rows that were written or compared: added + revised + unchanged. */
  readonly rows: number
  /** Synthetic rows that were removed because this was the dataset's first live run. */
  readonly removedSeed: number
  readonly bodySha256: string
  readonly durationMs: number
}

/**
 * Runs a feed once: loads, hashes, parses and writes the body. One transaction holds all data, the dataset's version and
 * the run's ledger entry, so a run is stored completely or not at all. A failed run is in the ledger with its reason.
 * The first live rows of a dataset replace its synthetic rows; synthetic rows are never mixed into live ones.
 * Rows that cannot be read are counted and reported, and the other rows are still written.
 * Throws IngestError (or its subclass BrokenBody) with a public reason, or the database's error.
 */
export function runFeed(
  deps: RunDeps,
  bound: BoundFeed,
  source: BodySource,
  onProgress: (progress: RunProgress) => void = () => {},
): Promise<RunSummary> {
  const { feed } = bound
  const origin = describeBodySource(feed, source, deps.clock.now())
  return runOneInLedger(deps, { feed, origin }, async (run) => {
    try {
      return await load(deps, bound, { run, source, onProgress })
    } catch (error) {
      throw error instanceof BrokenCsv ? new NotInFormat(error.message, { cause: error }) : error
    }
  })
}

interface Load {
  readonly run: OpenRun
  readonly source: BodySource
  readonly onProgress: (progress: RunProgress) => void
}

/** The rows that a feed parses from a body, and the facts of that body. */
interface OpenBody {
  parse(context: ParseContext): AsyncIterable<Parsed<unknown>> | Iterable<Parsed<unknown>>
  facts(): Promise<BodyDigest>
}

async function load(deps: RunDeps, bound: BoundFeed, { run, source, onProgress }: Load): Promise<RunSummary> {
  const { feed } = bound
  const began = performance.now()
  const isSaidWhole = 'isSaidWhole' in source && source.isSaidWhole === true
  const { summary, facts } = await withBody(deps, feed, source, run, async (body) => {
    const statedBytes = source.kind === 'live' ? await askStatedSize(deps, feed) : null
    return writeBody(deps, bound, { run, body, isSaidWhole, statedBytes, onProgress })
  })
  const durationMs = Math.round(performance.now() - began)
  const { runId } = run
  deps.log.info({ feed: feed.id, runId, ...summary, rejections: undefined, durationMs }, 'feed ingested')
  return { runId, ...summary, bodySha256: facts.sha256, durationMs }
}

/** The size that the provider states. Null if it does not, or if the request fails: the body is read anyway. */
async function askStatedSize({ fetchBody, log }: RunDeps, feed: AnyFeed<unknown>): Promise<number | null> {
  if (!('statedSize' in feed) || feed.statedSize === undefined) return null
  const { request, read } = feed.statedSize
  try {
    return read(await fetchBody(request))
  } catch (error) {
    log.info({ feed: feed.id, reason: errorText(error) }, 'the size that the provider states is not known')
    return null
  }
}

interface Write {
  readonly run: OpenRun
  readonly isSaidWhole: boolean
  /** The length of the body that the provider states, or null. */
  readonly statedBytes: number | null
  readonly body: OpenBody
  readonly onProgress: (progress: RunProgress) => void
}

interface Written {
  readonly summary: DatasetCounts & RowCounts
  readonly facts: BodyDigest
}

/**
 * Writes in one transaction. On PGlite, where all requests share one session, it writes in slices if the sink can stage.
 * Only one run at a time writes slices, because a lock of the dataset excludes nothing within one session. Synthetic rows
 * need no slices: they are written before any request waits.
 */
async function writeBody(
  deps: RunDeps,
  bound: BoundFeed,
  { run, body, isSaidWhole: isSaid, statedBytes, onProgress }: Write,
): Promise<Written> {
  const { feed, sink } = bound
  const { database, clock } = deps
  const { dataset, provider, part } = feed
  const rowCounts = newRowCounts()
  // Rejections at the end of the body count as read too.
  const onRefused = (rejection: Rejection) => {
    rowCounts.read += 1
    reject(rowCounts, rejection)
  }
  const wholeness = {
    isSaid,
    isProven: async () => statedBytes !== null && statedBytes === (await body.facts()).bytes,
  }
  const contradicted = () => rowCounts.contradicted
  const checks = { wholeness, contradicted, onRefused }
  const target = { dataset, provider, sink, ...checks, ...(part === undefined ? {} : { part }) }
  const finish = async (tx: Transaction, counts: DatasetCounts): Promise<Written> => {
    const facts = await body.facts()
    run.received(facts)
    const { contradicted: _, ...publicCounts } = rowCounts
    const summary = { ...counts, ...publicCounts }
    await run.succeed(tx, summary)
    return { summary, facts }
  }
  const { stage } = sink
  if (database.kind === 'postgres' || stage === undefined || provider.id === SEED_SOURCE) {
    return database.transaction(async (tx) => {
      const knownAt = clock.now()
      const batches = batchesOf(body, knownAt, rowCounts, onProgress)
      return finish(tx, await writeDataset(tx, target, batches, knownAt))
    })
  }
  return database.holding([`ingest ${dataset}`], () => {
    const knownAt = clock.now()
    const batches = batchesOf(body, knownAt, rowCounts, onProgress)
    return writeDatasetStaged(deps, { ...target, stage }, batches, knownAt, finish)
  })
}

async function withBody<Result>(
  { fetchBody, downloadBody }: RunDeps,
  feed: AnyFeed<unknown>,
  source: BodySource,
  run: OpenRun,
  work: (body: OpenBody) => Promise<Result>,
): Promise<Result> {
  const now = run.startedAt
  if ('parseStream' in feed) {
    return withBodyStream(feed, source, { now, downloadBody }, (stream) => work(streamed(feed, stream)))
  }
  if ('parsePages' in feed) {
    const pages = await loadFeedPages(feed, source, { now, fetchBody })
    const facts = digestPages(pages)
    run.received(facts)
    return work({ parse: (context) => feed.parsePages(pages, context), facts: async () => facts })
  }
  const bytes = await loadFeedBody(feed, source, { now, fetchBody })
  const facts = { sha256: sha256Hex(bytes), bytes: bytes.length }
  run.received(facts)
  return work({ parse: (context) => feed.parse(bytes, context), facts: async () => facts })
}

function streamed(feed: StreamFeed<unknown>, stream: BodyStream): OpenBody {
  return {
    parse: (context) => {
      const { positionOf } = stream
      const given = positionOf === undefined ? context : { ...context, positionOf }
      return feed.parseStream(stream.chunks(context.onRead), given)
    },
    facts: stream.facts,
  }
}

interface RowCounts {
  read: number
  rows: number
  rejected: number
  absent: number
  /** The first rejections. */
  readonly rejections: Rejection[]
}

interface OpenRowCounts extends RowCounts {
  /** Rows that were passed on and that later rows of the body contradict. */
  readonly contradicted: unknown[]
}

function newRowCounts(): OpenRowCounts {
  return { read: 0, rows: 0, rejected: 0, absent: 0, rejections: [], contradicted: [] }
}

/** The rows in batches. Counts rejections, and reports progress after each written batch. */
async function* batchesOf(
  body: OpenBody,
  now: Date,
  rowCounts: OpenRowCounts,
  onProgress: (progress: RunProgress) => void,
): AsyncGenerator<readonly unknown[]> {
  let fraction = 0
  let rows: unknown[] = []
  let items = 0
  const report = async () => {
    onProgress({ fraction, rows: rowCounts.rows, rejected: rowCounts.rejected })
    rows = []
    items = 0
    await setImmediate()
  }
  const onRead = (share: number) => {
    fraction = share
  }
  const onAbsent = (cells = 1) => {
    rowCounts.read += cells
    rowCounts.absent += cells
  }
  for await (const item of body.parse({ now, onRead, onAbsent })) {
    items += 1
    rowCounts.read += 1
    if (item.kind === 'row') {
      rows.push(item.row)
      rowCounts.rows += 1
    } else {
      reject(rowCounts, item)
      if (item.listed !== undefined) rows.push(item.listed)
      if (item.contradicts !== undefined) noteContradicted(rowCounts, item.contradicts, item.position)
    }
    if (items < BATCH_ROWS) continue
    yield rows
    await report()
  }
  if (items > 0) {
    yield rows
    await report()
  }
  assertUsefulRows(rowCounts)
}

/** The earlier row was counted as a row; it is rejected too. */
function noteContradicted(rowCounts: OpenRowCounts, row: unknown, position: string): void {
  if (rowCounts.contradicted.length >= MAX_CONTRADICTED) {
    throw new BrokenBody(`more than ${MAX_CONTRADICTED} rows contradict others of the body`)
  }
  rowCounts.contradicted.push(row)
  rowCounts.rows -= 1
  reject(rowCounts, { position, reason: 'the earlier row of the same key is refused with it' })
}

/** A body without a usable row brings no data, so its dataset must not count as fresh. */
function assertUsefulRows({ rows, rejected, rejections: [first] }: OpenRowCounts): void {
  if (rows > 0 || first === undefined) return
  throw new BrokenBody(`none of its ${rejected} rows can be used; ${first.position}: ${first.reason}`)
}

function reject(rowCounts: OpenRowCounts, { position, reason }: Rejection): void {
  rowCounts.rejected += 1
  if (rowCounts.rejections.length < MAX_REJECTIONS_KEPT) rowCounts.rejections.push({ position, reason })
}
