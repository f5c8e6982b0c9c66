import { basename } from 'node:path'
import { pairOnDay, type TradedAsset } from '../../../core/consensus/venue-symbols.js'
import { toIsoDate } from '../../../core/time.js'
import { barsKeptFrom } from '../../../ingest/datasets/market/candles-policy.js'
import { IngestError, quoted } from '../../../ingest/feed.js'
import { binance } from '../../../ingest/providers/exchanges/binance.js'
import { parseArchiveName } from '../../../ingest/providers/exchanges/binance-archive.js'
import { archiveFiles, liveArchive } from '../../../ingest/venues/backfill/archive-source.js'
import { oldDays } from '../../../ingest/venues/backfill/run-backfill.js'
import { UsageError } from '../../usage-error.js'
import type { Options, Outcome, World } from '../command.js'
import { backfillFrom, backfillText } from './backfill.js'
import { loadVenueAssets, parseInstantOption } from './candle-options.js'

const NEXT =
  'A candle has a price only with three venues; ingest candles loads the same days from the others.\n'

/** Runs `candles-archive`, which loads old days of one asset from daily bulk files of a venue. */
export async function ingestArchive(world: World, options: Options): Promise<Outcome> {
  const { files, assets: slugs, venues, from, to } = options
  const [slug, ...more] = slugs
  if (slug === undefined || more.length > 0) throw new UsageError('give one asset, such as --asset bitcoin')
  const foreign = venues.find((venue) => venue !== binance.venue)
  if (foreign !== undefined)
    throw new UsageError(`--venue must be ${binance.venue} for bulk files; got ${quoted(foreign)}`)
  if (files.length > 0 === (from !== null))
    throw new UsageError('give either days (--from, --to) or files (--file)')
  const now = world.clock.now()
  const days =
    files.length > 0 ? null : oldDays(parseInstantOption('--from', from ?? ''), endOf(to, now), now)
  if (days !== null) {
    const source = liveArchive(world.http)
    return outcomeOf(await backfillFrom(world, options, days, [source]))
  }
  const [asset] = await loadVenueAssets(world.database, [slug])
  const paths = daysOfFiles(files, asset ?? { ticker: '' }, now)
  const newestFirst = [...paths.keys()].sort((a, b) => b - a).map((ms) => new Date(ms))
  return outcomeOf(await backfillFrom(world, options, newestFirst, [archiveFiles(paths)]))
}

function endOf(to: string | null, now: Date): Date {
  return to === null ? now : parseInstantOption('--to', to)
}

/** The files by the starts of their days. Throws IngestError with the first invalid file. */
function daysOfFiles(files: readonly string[], asset: TradedAsset, now: Date): ReadonlyMap<number, string> {
  const paths = new Map<number, string>()
  for (const path of files) {
    const name = basename(path)
    const of = parseArchiveName(name)
    if (of === null)
      throw new IngestError(`${quoted(name)} must have a name such as BTCUSDT-1m-2025-01-01.zip`)
    const symbol = pairOnDay('binance', asset, of.day)?.symbol
    if (of.symbol !== symbol)
      throw new IngestError(`${name} is about ${of.symbol}, not ${symbol ?? asset.ticker}`)
    const startMs = Date.parse(of.day)
    const keptFrom = barsKeptFrom(now)
    if (startMs >= keptFrom.getTime())
      throw new IngestError(`${name}: use ingest candles for days from ${toIsoDate(keptFrom)} on`)
    if (paths.has(startMs)) throw new IngestError(`two files are about ${of.day}`)
    paths.set(startMs, path)
  }
  return paths
}

function outcomeOf(summary: Awaited<ReturnType<typeof backfillFrom>>): Outcome {
  const isEmpty = !summary.isComplete || summary.venues.every(({ missed }) => missed === summary.days)
  return { summary, text: backfillText(summary) + NEXT, isEmpty }
}
