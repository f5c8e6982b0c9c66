import { basename } from 'node:path'
import { pairOnDay, type TradedAsset } from '../../../core/consensus/venue-symbols.js'
import { startOfMinute, toIsoDate } from '../../../core/time.js'
import { archiveFiles } from '../../../ingest/candles/items/archive-files.js'
import { loadCandles } from '../../../ingest/candles/items/load-candles.js'
import type { LoadedVenue } from '../../../ingest/candles/items/load-counts.js'
import { oldDays, toOldDay, type WorkWindow, windowsOf } from '../../../ingest/candles/items/work-window.js'
import {
  BACKFILL_VENUES,
  barsKeptFrom,
  CONSENSUS_VENUES,
} from '../../../ingest/datasets/market/candles-policy.js'
import { VENUE_ADAPTERS } from '../../../ingest/datasets/market/ingestion.js'
import { IngestError, quoted } from '../../../ingest/feed.js'
import { binanceArchive, parseArchiveName } from '../../../ingest/providers/exchanges/binance-archive.js'
import type { VenueAdapter } from '../../../ingest/providers/exchanges/venue-adapter.js'
import type { HttpClient } from '../../../platform/http-client/http-client.js'
import { processTimers } from '../../../platform/timers.js'
import { UsageError } from '../../usage-error.js'
import type { Options, Outcome, World } from '../command.js'
import { progressLine } from '../progress-line.js'
import { loadWantedAssets, parseInstantOption, parseVenues } from './candle-options.js'
import { loadedText } from './loaded-text.js'

/** Runs `candles`, which has the exchanges asked for the bars of a window and computes candles. */
export async function ingestCandles(world: World, options: Options): Promise<Outcome> {
  if (options.files.length > 0)
    throw new UsageError('candles has no option --file; use candles-archive for files')
  const now = world.clock.now()
  const from = options.from === null ? null : parseInstantOption('--from', options.from)
  const to = options.to === null ? startOfMinute(now) : parseInstantOption('--to', options.to)
  if (from !== null && from >= to) throw new UsageError('--from must be before --to')
  const named = parseVenues(options.venues)
  const venues =
    named.length > 0 ? { recent: named, old: named } : { recent: CONSENSUS_VENUES, old: BACKFILL_VENUES }
  const windows = windowsOf({ from, to }, venues, now)
  return load(world, options, { windows, adapters: VENUE_ADAPTERS, http: world.http })
}

const NEXT =
  'A candle has a price only with three venues; ingest candles loads the same days from the others.\n'

/** Runs `candles-archive`, which loads old days of one asset from the daily bulk files of Binance. */
export async function ingestArchive(world: World, options: Options): Promise<Outcome> {
  const { files, assets: slugs, venues, from } = options
  const [slug, ...more] = slugs
  if (slug === undefined || more.length > 0) throw new UsageError('give one asset, such as --asset bitcoin')
  const foreign = venues.find((venue) => venue !== binanceArchive.venue)
  if (foreign !== undefined)
    throw new UsageError(`--venue must be ${binanceArchive.venue} for bulk files; got ${quoted(foreign)}`)
  if (files.length > 0 === (from !== null))
    throw new UsageError('give either days (--from, --to) or files (--file)')
  const { days, http } =
    from === null
      ? await filesOf(world, files, slug)
      : { days: daysOf(world, options, from), http: world.http }
  const windows = days.map((day) => toOldDay(day, [binanceArchive.venue]))
  const outcome = await load(world, options, { windows, adapters: [binanceArchive], http })
  return { ...outcome, text: outcome.text + NEXT }
}

function daysOf({ clock }: World, { to }: Options, from: string): readonly Date[] {
  const now = clock.now()
  const end = to === null ? now : parseInstantOption('--to', to)
  const days = oldDays(parseInstantOption('--from', from), end, now)
  if (days.length === 0) throw new IngestError('the span has no day that is old enough for bulk files')
  return days
}

/** The days of files, the newest first. Throws IngestError with the first invalid file. */
async function filesOf({ database, clock }: World, files: readonly string[], slug: string) {
  const [asset] = await loadWantedAssets(database, [slug])
  const keptFrom = barsKeptFrom(clock.now())
  const days = new Map<string, Date>()
  for (const path of files) {
    const day = dayOfFile(basename(path), asset ?? { ticker: '' }, keptFrom)
    if (days.has(basename(path))) throw new IngestError(`two files are about ${toIsoDate(day)}`)
    days.set(basename(path), day)
  }
  const http = archiveFiles(new Map(files.map((path) => [basename(path), path])))
  return { days: [...days.values()].sort((a, b) => b.getTime() - a.getTime()), http }
}

function dayOfFile(name: string, asset: TradedAsset, keptFrom: Date): Date {
  const of = parseArchiveName(name)
  if (of === null) throw new IngestError(`${quoted(name)} must have a name such as BTCUSDT-1m-2025-01-01.zip`)
  const symbol = pairOnDay(binanceArchive.venue, asset, of.day)?.symbol
  if (of.symbol !== symbol)
    throw new IngestError(`${name} is about ${of.symbol}, not ${symbol ?? asset.ticker}`)
  const day = new Date(of.day)
  if (day >= keptFrom)
    throw new IngestError(`${name}: use ingest candles for days from ${toIsoDate(keptFrom)} on`)
  return day
}

interface Work {
  readonly windows: readonly WorkWindow[]
  readonly adapters: readonly VenueAdapter[]
  readonly http: HttpClient
}

/** Adds the work of all assets, and shows the progress on the error output. */
async function load({ database, clock, call }: World, options: Options, work: Work): Promise<Outcome> {
  const { http, ...added } = work
  const assets = await loadWantedAssets(database, options.assets)
  const line = progressLine({ isTTY: call.isTerminal, write: call.err })
  const deps = { database, clock, http, timers: processTimers, random: Math.random, signal: call.signal }
  const summary = await loadCandles(
    { ...deps, onProgress: line.show, onPause: line.showPause },
    { assets, isAgain: options.isAgain, ...added },
  ).finally(line.end)
  const isAllMissed = summary.skipped === 0 && summary.venues.every(hasOnlyMissed)
  return { summary, text: loadedText(summary), isEmpty: !summary.isComplete || isAllMissed }
}

function hasOnlyMissed({ loaded, withoutBars, notListed, missed }: LoadedVenue): boolean {
  return missed > 0 && loaded + withoutBars + notListed === 0
}
