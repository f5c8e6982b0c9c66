import { z } from 'zod'
import { DAY_MS, startOfDay, startOfHour } from '../../../core/time.js'
import type { Timeframe } from '../../../domains/market/model.js'
import { WINDOW_MS } from '../../../domains/market/model.js'
import type { CandleRow } from '../../../domains/market/store.js'
import { BrokenBody, type Feed, type Parsed } from '../../feed.js'
import type { SeedVintage } from '../../ingestion.js'
import { CRYPTO_ASSETS } from '../../providers/reference/assets.js'
import { SEED_FEED } from '../../seed/values/seed-provider.js'
import { vintageTimes } from '../../seed/values/vintages.js'
import { CRYPTO_LEVELS } from './crypto-levels.js'
import { type SeedAsset, seedCandle } from './seed-market.js'

/** Two years of days. */
const DAYS = 730

/** A week of hours, and those that the change over a week may be compared with. */
const HOURS = 7 * 24 + 3

/** The newest daily windows of the oldest vintage, which lack a venue. */
const PROVISIONAL_DAYS = 2

/** The newest hourly windows of the next vintage, which also lack a venue. */
const PROVISIONAL_HOURS = 2

const Body = z.strictObject({
  /** Windows that ended by then exist already; null without any. */
  after: z.iso.datetime().nullable(),
  until: z.iso.datetime(),
  /** The end of the series, from which its length is counted back. */
  seriesEnd: z.iso.datetime(),
  /** Windows of that length from then on are provisional; null without any. */
  provisional: z.strictObject({ timeframe: z.enum(['1d', '1h']), from: z.iso.datetime() }).nullable(),
})

/** Every synthetic crypto asset that has a level. */
export const SEED_ASSETS: readonly SeedAsset[] = CRYPTO_ASSETS.flatMap(({ assetId, slug, tier }) => {
  const level = CRYPTO_LEVELS.get(slug)
  return level === undefined || tier === null ? [] : { ...level, assetId, tier }
})

/** Synthetic candles of four venues, made by the real consensus. */
export const seedCandles: Feed<CandleRow> = {
  id: 'seed-candles',
  ...SEED_FEED,
  dataset: 'candles',
  description: `Synthetic candles of ${SEED_ASSETS.length} crypto assets`,
  parse: (body, context) => parseSpan(body, (fraction) => context.onRead(fraction)),
}

/**
 * The span to generate: windows that ended by `now` and after `newestEnd` (all if null). At the end of a vintage,
 * its newest hours are provisional.
 */
export function seedCandlesBody(now: Date, newestEnd: Date | null): Uint8Array | null {
  const until = startOfHour(now)
  if (newestEnd !== null && newestEnd >= until) return null
  const { revisedAt } = vintageTimes(now)
  const after = newestEnd?.getTime() === revisedAt.getTime() ? hoursBefore(revisedAt) : newestEnd
  return bodyOf({ after, until, seriesEnd: until, provisional: null })
}

/** The start of the provisional hours of a vintage. */
function hoursBefore(end: Date): Date {
  return new Date(end.getTime() - PROVISIONAL_HOURS * WINDOW_MS['1h'])
}

/**
 * First days whose newest windows lack a venue, then the same windows complete and those that ended since, whose
 * newest hours lack a venue.
 */
export function seedCandlesVintages(now: Date): readonly SeedVintage[] {
  const { provisionalAt, revisedAt } = vintageTimes(now)
  const seriesEnd = startOfHour(now)
  const days = new Date(startOfDay(provisionalAt).getTime() - PROVISIONAL_DAYS * DAY_MS)
  const hours = hoursBefore(revisedAt)
  const first = {
    ...{ after: null, until: provisionalAt, seriesEnd },
    provisional: { timeframe: '1d', from: days },
  } as const
  const second = {
    ...{ after: days, until: revisedAt, seriesEnd },
    provisional: { timeframe: '1h', from: hours },
  } as const
  return [
    { knownAt: provisionalAt, body: bodyOf(first) },
    { knownAt: revisedAt, body: bodyOf(second) },
  ]
}

interface Span {
  readonly after: Date | null
  readonly until: Date
  readonly seriesEnd: Date
  readonly provisional: { readonly timeframe: Timeframe; readonly from: Date } | null
}

/** Instants are ISO 8601 text. */
function bodyOf(span: Span): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(span))
}

function* parseSpan(body: Uint8Array, onRead: (fraction: number) => void): Generator<Parsed<CandleRow>> {
  const span = readSeedBody(body)
  for (const [index, asset] of SEED_ASSETS.entries()) {
    onRead(index / SEED_ASSETS.length)
    yield* candlesOf(asset, '1d', DAYS, span)
    yield* candlesOf(asset, '1h', HOURS, span)
  }
  onRead(1)
}

function* candlesOf(
  asset: SeedAsset,
  timeframe: Timeframe,
  windows: number,
  { after, until, seriesEnd, provisional }: Span,
): Generator<Parsed<CandleRow>> {
  const lengthMs = WINDOW_MS[timeframe]
  const floored = (instant: Date) => Math.floor(instant.getTime() / lengthMs) * lengthMs
  const firstMs = floored(seriesEnd) - windows * lengthMs
  const afterMs = after === null ? firstMs : floored(after)
  const endMs = floored(until)
  for (let ts = Math.max(firstMs, afterMs); ts + lengthMs <= endMs; ts += lengthMs) {
    const isProvisional = provisional?.timeframe === timeframe && ts >= provisional.from.getTime()
    yield { kind: 'row', row: seedCandle(asset, { timeframe, ts: new Date(ts) }, isProvisional) }
  }
}

function readSeedBody(body: Uint8Array): Span {
  try {
    const { after, until, seriesEnd, provisional } = Body.parse(JSON.parse(new TextDecoder().decode(body)))
    return {
      after: after === null ? null : new Date(after),
      until: new Date(until),
      seriesEnd: new Date(seriesEnd),
      provisional: provisional === null ? null : { ...provisional, from: new Date(provisional.from) },
    }
  } catch (cause) {
    throw new BrokenBody('the body is not a span of time', { cause })
  }
}
