import { basename } from 'node:path'
import { sha256Hex } from '../../core/canonical-json.js'
import { MIN_SOURCES } from '../../core/consensus/consensus.js'
import type { VenueBar } from '../../core/consensus/venue-vwap.js'
import { loadDaysOf } from '../../domains/market/bar-store.js'
import type { DailyVenueWindow } from '../../domains/market/model.js'
import type { CandleRow } from '../../domains/market/store.js'
import type { Transaction } from '../../platform/database/database.js'
import { CONSENSUS_SOURCE } from '../datasets/market/candles-policy.js'
import { candlesSink } from '../datasets/market/ingestion.js'
import { rollUp } from '../datasets/market/roll-up.js'
import { IngestError, quoted } from '../feed.js'
import { type DailyFileVenue, dailyFileFeed } from '../providers/exchanges/daily-files.js'
import { cryptoDataDownload } from '../providers/providers.js'
import { type BodySource, loadFeedBody } from '../run/feed-body.js'
import { MAX_REJECTIONS_KEPT, type Rejection } from '../run/ledger.js'
import { lockDataset } from '../run/lock-dataset.js'
import { type IngestDeps, type OpenRun, runOneInLedger } from '../run/run.js'
import { type DatasetCounts, writeDataset } from '../run/write-dataset.js'
import type { VenueAsset } from './run-venues.js'

const VENUES: readonly DailyFileVenue[] = ['bitfinex', 'bitstamp', 'coinbase', 'kraken']

const FEED = { id: 'candles-daily', provider: cryptoDataDownload, dataset: 'candles' } as const
const CANDLES = { dataset: 'candles', provider: cryptoDataDownload, sink: candlesSink } as const

/** Every file has its header within these lines. */
const HEADER_BYTES = 1_000

/** One venue's file of daily bars. */
export interface DailyFile {
  readonly venue: DailyFileVenue
  readonly source: Exclude<BodySource, { readonly kind: 'live' | 'bundled' }>
}

/** Numbers of days by the number of venues that had a row, and their results. */
export interface DayCounts {
  readonly venues: number
  readonly status: 'ok' | 'insufficient_sources'
  readonly days: number
}

/** Days on which a venue was left out for that reason, and days per file. */
export interface ExclusionCounts {
  readonly venue: string
  readonly reason: string
  readonly days: number
  readonly commonDays: number
}

export interface DailySummary {
  readonly runId: string
  /** Lines of all files: rows + rejected + absent. */
  readonly read: number
  /** Lines that are the bar of a day. */
  readonly rows: number
  readonly candles: DatasetCounts
  /** Days that keep their candle, because it was made from one-minute bars. */
  readonly keptDays: number
  readonly days: readonly DayCounts[]
  readonly exclusions: readonly ExclusionCounts[]
  readonly rejected: number
  /** Rows equal to an earlier one. */
  readonly absent: number
  readonly rejections: readonly Rejection[]
  readonly durationMs: number
}

/** The venue in the name of a file, as CryptoDataDownload names its files. Throws IngestError for another name. */
export function venueOfFile(path: string): DailyFileVenue {
  const name = basename(path).toLowerCase()
  const venue = VENUES.find((each) => name.startsWith(`${each}_`))
  if (venue === undefined) {
    throw new IngestError(`${quoted(basename(path))} does not name a venue; known are ${VENUES.join(', ')}`)
  }
  return venue
}

/**
 * Writes day candles of one asset from daily files of several venues: for each day the consensus of its venues, all
 * in one transaction. Days with a candle from one-minute bars keep it. The run is stored completely or not at all;
 * the ledger has one row for all files. Throws IngestError or BrokenBody with a public reason.
 */
export async function runDailyFiles(
  deps: IngestDeps,
  asset: VenueAsset,
  files: readonly DailyFile[],
): Promise<DailySummary> {
  assertDistinctVenues(files)
  const origin = files.map(filesOriginOf).join(', ')
  return runOneInLedger(deps, { feed: FEED, origin }, (run) => load(deps, asset, files, run))
}

async function load(
  { database, log }: IngestDeps,
  asset: VenueAsset,
  files: readonly DailyFile[],
  run: OpenRun,
): Promise<DailySummary> {
  const began = performance.now()
  const read = await readFiles(asset, files, run.startedAt)
  run.received(read.body)
  const rows = candlesOf(asset, read.bars)
  const written = await database.transaction((tx) => write(tx, { asset, rows, read, run }))
  const summary = {
    runId: run.runId,
    read: read.read,
    rows: read.bars.length,
    ...written,
    rejected: read.rejected.length,
    absent: read.absent,
  }
  const durationMs = Math.round(performance.now() - began)
  log.info({ asset: asset.slug, ...summary, durationMs }, 'daily files ingested')
  const tallies = { days: tallyDays(rows), exclusions: tallyExclusions(rows, files.length) }
  return { ...summary, ...tallies, rejections: read.rejections, durationMs }
}

async function write(
  tx: Transaction,
  {
    asset,
    rows,
    read,
    run,
  }: {
    readonly asset: VenueAsset
    readonly rows: readonly CandleRow[]
    readonly read: FilesRead
    readonly run: OpenRun
  },
): Promise<Pick<DailySummary, 'candles' | 'keptDays'>> {
  await lockDataset(tx, 'candles')
  const live = new Set((await loadDaysOf(tx, asset.assetId, CONSENSUS_SOURCE)).map((ts) => ts.getTime()))
  const own = rows.filter((row) => !live.has(row.ts.getTime()))
  const candles = await writeDataset(tx, CANDLES, [own], run.startedAt)
  await run.succeed(tx, {
    ...candles,
    rejected: read.rejected.length,
    absent: read.absent,
    rejections: read.rejections,
  })
  return { candles, keptDays: rows.length - own.length }
}

function assertDistinctVenues(files: readonly DailyFile[]): void {
  const venues = files.map(({ venue }) => venue)
  if (venues.length === 0) throw new IngestError('no file was given')
  if (new Set(venues).size < venues.length)
    throw new IngestError(`give one file per venue; got ${venues.join(', ')}`)
}

function filesOriginOf({ source }: DailyFile): string {
  return source.kind === 'file' ? basename(source.path) : source.origin
}

interface FilesRead {
  readonly read: number
  readonly bars: readonly VenueBar[]
  readonly rejected: readonly Rejection[]
  /** The first rejections. */
  readonly rejections: readonly Rejection[]
  readonly absent: number
  readonly body: { readonly sha256: string; readonly bytes: number }
}

async function readFiles(asset: VenueAsset, files: readonly DailyFile[], now: Date): Promise<FilesRead> {
  const bars: VenueBar[] = []
  const rejected: Rejection[] = []
  const bodies: Uint8Array[] = []
  let read = 0
  let absent = 0
  const onAbsent = (cells = 1) => {
    read += cells
    absent += cells
  }
  for (const file of files) {
    const feed = dailyFileFeed(file.venue, 'candles')
    const fetchBody = () => Promise.reject(new IngestError(`${feed.id} has no live source`))
    const body = await loadFeedBody(feed, file.source, { now, fetchBody })
    const taken = new Set<string>()
    const isTrue = hasTurnover(body)
    bodies.push(body)
    for (const item of feed.parse(body, { now, onRead: () => {}, onAbsent })) {
      read += 1
      const wrong = item.kind === 'row' ? wrongWindow(item.row, asset, taken) : item.reason
      if (item.kind === 'row' && wrong === null) bars.push(barOf(item.row, isTrue))
      const position = item.kind === 'row' ? item.row.day : item.position
      if (wrong !== null) rejected.push({ position: `${filesOriginOf(file)}, ${position}`, reason: wrong })
    }
  }
  const sha256 = sha256Hex(new TextEncoder().encode(bodies.map((body) => sha256Hex(body)).join('')))
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0)
  return {
    read,
    bars,
    rejected,
    rejections: rejected.slice(0, MAX_REJECTIONS_KEPT),
    absent,
    body: { sha256, bytes },
  }
}

/** A file may have another asset, or the asset in two currencies; the first row of a day counts. */
function wrongWindow(window: DailyVenueWindow, asset: VenueAsset, taken: Set<string>): string | null {
  if (window.ticker !== asset.ticker) return `the row is about ${window.ticker}, not ${asset.ticker}`
  if (taken.has(window.day))
    return `the day already has a row in another currency than ${window.quoteCurrency}`
  taken.add(window.day)
  return null
}

/**
 * Files that begin with a `unix` column state volume x close as turnover, as Bitstamp's does. The older ones state
 * the real turnover, which gives a real VWAP.
 */
function hasTurnover(body: Uint8Array): boolean {
  return !/^"?unix\b/im.test(new TextDecoder().decode(body.subarray(0, HEADER_BYTES)))
}

/** The day as one bar: its VWAP if the turnover is real, or else the typical price. */
function barOf({ venue, day, quoteCurrency, ...figures }: DailyVenueWindow, isTrue: boolean): VenueBar {
  const { vwap, baseVolume, quoteVolume } = figures
  const prices = { open: vwap, high: vwap, low: vwap, close: vwap, vwap: isTrue ? null : vwap }
  const ts = new Date(`${day}T00:00:00Z`)
  return { venue, ts, ...prices, baseVolume, quoteVolume: isTrue ? quoteVolume : null, quoteCurrency }
}

/** Stablecoins count as one dollar, because the files do not contain their rates. */
function candlesOf(asset: VenueAsset, bars: readonly VenueBar[]): readonly CandleRow[] {
  const days = new Map<number, VenueBar[]>()
  for (const bar of bars) days.set(bar.ts.getTime(), [...(days.get(bar.ts.getTime()) ?? []), bar])
  const ascending = [...days].sort(([a], [b]) => a - b)
  return ascending.flatMap(([day, own]) => {
    const window = { timeframe: '1d', ts: new Date(day) } as const
    return rollUp(asset, [window], own, () => null)
  })
}

function tallyDays(rows: readonly CandleRow[]): readonly DayCounts[] {
  const keys = rows.map((row) => [row.sources.length, row.exchangesCount >= MIN_SOURCES] as const)
  return [...countOf(keys.map(([venues, isOk]) => `${venues} ${isOk ? 'ok' : 'insufficient_sources'}`))]
    .map(([key, days]): DayCounts => {
      const [venues, status] = key.split(' ')
      return { venues: Number(venues), status: status === 'ok' ? 'ok' : 'insufficient_sources', days }
    })
    .sort((a, b) => b.venues - a.venues || (a.status < b.status ? 1 : -1))
}

function tallyExclusions(rows: readonly CandleRow[], files: number): readonly ExclusionCounts[] {
  const keysOf = (row: CandleRow) =>
    row.sources.flatMap(({ venue, exclusion }) => (exclusion === null ? [] : `${venue} ${exclusion}`))
  const common = countOf(rows.filter((row) => row.sources.length === files).flatMap(keysOf))
  return [...countOf(rows.flatMap(keysOf))].sort().map(([key, days]) => {
    const [venue = '', reason = ''] = key.split(' ')
    return { venue, reason, days, commonDays: common.get(key) ?? 0 }
  })
}

function countOf(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}
