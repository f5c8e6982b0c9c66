import { setImmediate } from 'node:timers/promises'
import { sha256Hex } from '../core/canonical-json.js'
import { BrokenCsv } from '../core/csv.js'
import type { Transaction } from '../platform/database/database.js'
import {
  type AnyFeed,
  type BoundFeed,
  BrokenBody,
  type ParseContext,
  type Parsed,
  SEED_SOURCE,
  type StreamFeed,
} from './feed.js'
import { type BodyFacts, MAX_REJECTIONS_KEPT, type Rejection, type RunCounts } from './ledger.js'
import {
  type BodySource,
  type BodyStream,
  bodyOriginOf,
  type DownloadBody,
  type FetchBody,
  readFeedBody,
  withBodyStream,
} from './read-body.js'
import { factsOfPages, readFeedPages } from './read-pages.js'
import { type IngestDeps, type OpenRun, runOneInLedger } from './run.js'
import { type DatasetCounts, writeDataset, writeDatasetStaged } from './write-dataset.js'

/** Rows per statement: large enough to be fast, small enough that no other work in the process waits long. */
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
  const { feed } = bound
  const origin = bodyOriginOf(feed, source, deps.clock.now())
  return runOneInLedger(deps, { feed, origin }, async (run) => {
    try {
      return await load(deps, bound, { run, source, onProgress })
    } catch (error) {
      throw error instanceof BrokenCsv ? new BrokenBody(error.message, { cause: error }) : error
    }
  })
}

interface Load {
  readonly run: OpenRun
  readonly source: BodySource
  readonly onProgress: (progress: RunProgress) => void
}

/** What a feed read from a body, and what came in. */
interface OpenBody {
  parse(context: ParseContext): AsyncIterable<Parsed<unknown>> | Iterable<Parsed<unknown>>
  facts(): Promise<BodyFacts>
}

async function load(deps: RunDeps, bound: BoundFeed, { run, source, onProgress }: Load): Promise<RunSummary> {
  const { feed } = bound
  const began = performance.now()
  const { summary, facts } = await withBody(deps, feed, source, run, (body) =>
    writeBody(deps, bound, { run, body, onProgress }),
  )
  const durationMs = Math.round(performance.now() - began)
  const { runId } = run
  deps.log.info({ feed: feed.id, runId, ...summary, rejections: undefined, durationMs }, 'feed ingested')
  return { runId, ...summary, bodySha256: facts.sha256, durationMs }
}

interface Write {
  readonly run: OpenRun
  readonly body: OpenBody
  readonly onProgress: (progress: RunProgress) => void
}

interface Written {
  readonly summary: DatasetCounts & RowTally
  readonly facts: BodyFacts
}

/**
 * In one transaction; on PGlite, which has one session that all requests wait for, in slices where the sink can. Slices
 * are written by one run at a time, since the session's own lock of the dataset would exclude nothing. Synthetic rows
 * are written before anybody waits.
 */
async function writeBody(
  deps: RunDeps,
  bound: BoundFeed,
  { run, body, onProgress }: Write,
): Promise<Written> {
  const { feed, sink } = bound
  const { database, clock } = deps
  const { dataset, provider, part } = feed
  const target = { dataset, provider, sink, ...(part === undefined ? {} : { part }) }
  const tally = newRowTally()
  const finish = async (tx: Transaction, counts: DatasetCounts): Promise<Written> => {
    const facts = await body.facts()
    run.received(facts)
    const summary = { ...counts, ...tally }
    await run.succeed(tx, summary)
    return { summary, facts }
  }
  const { stage } = sink
  if (database.kind === 'postgres' || stage === undefined || provider.id === SEED_SOURCE) {
    return database.transaction(async (tx) => {
      const knownAt = clock.now()
      const batches = batchesOf(body, knownAt, tally, onProgress)
      return finish(tx, await writeDataset(tx, target, batches, knownAt))
    })
  }
  return database.holding([`ingest ${dataset}`], () => {
    const knownAt = clock.now()
    const batches = batchesOf(body, knownAt, tally, onProgress)
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
    const pages = await readFeedPages(feed, source, { now, fetchBody })
    const facts = factsOfPages(pages)
    run.received(facts)
    return work({ parse: (context) => feed.parsePages(pages, context), facts: async () => facts })
  }
  const bytes = await readFeedBody(feed, source, { now, fetchBody })
  const facts = { sha256: sha256Hex(bytes), bytes: bytes.length }
  run.received(facts)
  return work({ parse: (context) => feed.parse(bytes, context), facts: async () => facts })
}

function streamed(feed: StreamFeed<unknown>, stream: BodyStream): OpenBody {
  return {
    parse: (context) => feed.parseStream(stream.chunks(context.onRead), context),
    facts: stream.facts,
  }
}

interface RowTally {
  rows: number
  rejected: number
  /** The first of them. */
  readonly rejections: Rejection[]
}

function newRowTally(): RowTally {
  return { rows: 0, rejected: 0, rejections: [] }
}

/** The rows in batches; rejections go to the tally, and progress is reported when a batch is written. */
async function* batchesOf(
  body: OpenBody,
  now: Date,
  tally: RowTally,
  onProgress: (progress: RunProgress) => void,
): AsyncGenerator<readonly unknown[]> {
  let fraction = 0
  let rows: unknown[] = []
  let items = 0
  const report = async () => {
    onProgress({ fraction, rows: tally.rows, rejected: tally.rejected })
    rows = []
    items = 0
    await setImmediate()
  }
  const onRead = (share: number) => {
    fraction = share
  }
  for await (const item of body.parse({ now, onRead })) {
    items += 1
    if (item.kind === 'row') {
      rows.push(item.row)
      tally.rows += 1
    } else {
      reject(tally, item)
      if (item.listed !== undefined) rows.push(item.listed)
    }
    if (items < BATCH_ROWS) continue
    yield rows
    await report()
  }
  if (items > 0) {
    yield rows
    await report()
  }
  refuseUseless(tally)
}

/** A body without one good row tells nothing new, so its dataset must not count as fresh. */
function refuseUseless({ rows, rejected, rejections: [first] }: RowTally): void {
  if (rows > 0 || first === undefined) return
  throw new BrokenBody(`none of its ${rejected} rows can be used; ${first.position}: ${first.reason}`)
}

function reject(tally: RowTally, { position, reason }: Rejection): void {
  tally.rejected += 1
  if (tally.rejections.length < MAX_REJECTIONS_KEPT) tally.rejections.push({ position, reason })
}
