import type { AssetTier } from '../../core/consensus.js'
import { suggest } from '../../core/suggest.js'
import { readAssetsBySlug } from '../../domains/assets/store.js'
import { readCardPage } from '../../domains/cards/store.js'
import type { Asset } from '../../generated/prisma/client.js'
import { CONSENSUS_VENUES } from '../../ingest/candles-policy.js'
import { IngestError } from '../../ingest/feed.js'
import type { Rejection } from '../../ingest/ledger.js'
import type { VenueAdapter } from '../../ingest/providers/exchanges/venue-adapter.js'
import { VENUE_ADAPTERS } from '../../ingest/registry.js'
import { type DailySummary, runDailyFiles, venueOfFile } from '../../ingest/run-daily-files.js'
import { type CandleRunSummary, runVenues, type VenueAsset } from '../../ingest/run-venues.js'
import type { Sql } from '../../platform/database/database.js'
import { table } from '../admin/table.js'
import { type Options, type Outcome, UsageError, type World } from './command.js'

/** More crypto assets than any list here has. */
const MAX_ASSETS = 10_000

const MINUTE_MS = 60_000

/** `candles`: asks the venues for one-minute bars and makes candles of them. */
export async function ingestCandles(
  { database, clock, http, log }: World,
  options: Options,
): Promise<Outcome> {
  if (options.files.length > 0)
    throw new UsageError('candles come from the venues; files go to candles-daily')
  const now = clock.now()
  const from = options.from === null ? null : readInstant('--from', options.from)
  const to =
    options.to === null
      ? new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS)
      : readInstant('--to', options.to)
  const adapters = readVenues(options.venues)
  const assets = await readAssets(database, options.assets)
  const summary = await runVenues({ database, clock, http, log }, { assets, from, to, adapters })
  return {
    summary,
    text: candlesText(summary),
    isEmpty: summary.venues.every(({ status }) => status === 'failed'),
  }
}

/** `candles-daily`: day candles of one asset from the daily files of several venues. */
export async function ingestDaily({ database, clock, log }: World, options: Options): Promise<Outcome> {
  if (options.assets.length !== 1) throw new UsageError('name one asset: --asset bitcoin')
  if (options.files.length === 0)
    throw new UsageError('name the files: --file Bitstamp_BTCUSD_d.csv --file ...')
  const files = options.files.map((path) => ({
    venue: venueOfFile(path),
    source: { kind: 'file', path } as const,
  }))
  const [asset] = await readAssets(database, options.assets)
  if (asset === undefined) throw new UsageError('name one asset: --asset bitcoin')
  const summary = await runDailyFiles({ database, clock, log }, asset, files)
  return { summary, text: dailyText(summary), isEmpty: summary.rows === 0 }
}

/** The assets of these slugs; all crypto assets when there are none. */
async function readAssets(sql: Sql, slugs: readonly string[]): Promise<readonly VenueAsset[]> {
  const crypto = { tier: null, assetClass: 'crypto', mic: null } as const
  if (slugs.length === 0) {
    const cards = await readCardPage(sql, crypto, { limit: MAX_ASSETS, offset: 0, from: null }, new Date())
    if (cards.length === 0)
      throw new IngestError('there is no crypto asset; start the gateway once to have some')
    return cards.map(({ asset }) => toVenueAsset(asset))
  }
  const known = await readAssetsBySlug(sql, slugs)
  return slugs.map((slug) => {
    const asset = known.get(slug)
    if (asset === undefined) throw new IngestError(`there is no asset ${JSON.stringify(slug)}`)
    if (asset.assetClass !== 'crypto') throw new IngestError(`${slug} is no crypto asset`)
    return toVenueAsset(asset)
  })
}

function toVenueAsset({ assetId, slug, ticker, tier }: Asset): VenueAsset {
  return { assetId, slug, ticker, tier: isTier(tier) ? tier : 3 }
}

function isTier(tier: number | null): tier is AssetTier {
  return tier === 1 || tier === 2 || tier === 3
}

function readVenues(names: readonly string[]): readonly VenueAdapter[] {
  const wanted = names.length === 0 ? CONSENSUS_VENUES : names
  return [...new Set(wanted)].map((name) => {
    const adapter = VENUE_ADAPTERS.find(({ venue }) => venue === name)
    if (adapter !== undefined) return adapter
    const venues = VENUE_ADAPTERS.map(({ venue }) => venue)
    const likely = suggest(name, venues)
    const hint = likely === null ? `known are ${venues.join(', ')}` : `did you mean ${likely}?`
    throw new UsageError(`there is no venue ${JSON.stringify(name)}; ${hint}`)
  })
}

/** A date alone is its start, UTC. */
function readInstant(option: string, text: string): Date {
  const isIso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z)?$/.test(text)
  const instant = new Date(text)
  if (!isIso || Number.isNaN(instant.getTime())) {
    throw new UsageError(`${option} is an instant such as 2026-11-20T12:00Z; got ${JSON.stringify(text)}`)
  }
  return instant
}

function candlesText({ venues, candles, durationMs }: CandleRunSummary): string {
  const bars = table(
    ['venue', 'status', 'requests', 'not listed', 'added', 'revised', 'unchanged', 'rejected'],
    venues.map((run) => [
      run.venue,
      run.status,
      run.requests,
      run.notListed,
      run.added,
      run.revised,
      run.unchanged,
      run.rejected,
    ]),
    'no venue was asked',
  )
  const rejections = venues.map((run) => rejectionsText(run.venue, run.rejections, run.rejected)).join('')
  return `One-minute bars\n${bars}${rejections}\n${countsText('candles', candles, durationMs)}`
}

function dailyText(run: DailySummary): string {
  const days = table(
    ['venues with the day', 'status', 'days'],
    run.days.map(({ venues, status, days }) => [venues, status, days]),
    'no days',
  )
  const exclusions = table(
    ['venue', 'excluded as', 'days', 'of them in every file'],
    run.exclusions.map(({ venue, reason, days, commonDays }) => [venue, reason, days, commonDays]),
    'no venue was excluded',
  )
  const kept = run.keptDays > 0 ? `${run.keptDays} days keep their candle made from one-minute bars\n` : ''
  return (
    `${run.rows} rows read, ${run.rejected} rejected\n${rejectionsText('files', run.rejections, run.rejected)}` +
    `\nDays\n${days}\nExcluded venues\n${exclusions}\n${kept}${countsText('day candles', run.candles, run.durationMs)}`
  )
}

function countsText(what: string, candles: CandleRunSummary['candles'], durationMs: number): string {
  const { added, revised, unchanged, removedSeed } = candles
  const seed = removedSeed > 0 ? `; ${removedSeed} seed candles removed` : ''
  const seconds = (durationMs / 1000).toFixed(1)
  return `${what}: ${added} added, ${revised} revised, ${unchanged} unchanged${seed} (${seconds} s)\n`
}

function rejectionsText(who: string, rejections: readonly Rejection[], all: number): string {
  const lines = rejections.map(({ position, reason }) => `  ${who} rejected ${position}: ${reason}\n`)
  return lines.join('') + (all > rejections.length ? `  and ${all - rejections.length} more of ${who}\n` : '')
}
