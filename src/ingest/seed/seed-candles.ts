import { z } from 'zod'
import { DAY_MS, startOfDay, startOfHour } from '../../core/time.js'
import type { Timeframe } from '../../domains/market/model.js'
import { WINDOW_MS } from '../../domains/market/model.js'
import type { CandleRow } from '../../domains/market/store.js'
import { BrokenBody, type Feed, type Parsed } from '../feed.js'
import { CRYPTO_ASSETS } from '../providers/reference/crypto.js'
import { CRYPTO_LEVELS } from './crypto-levels.js'
import { type SeedAsset, seedCandle } from './seed-market.js'
import { seedProvider } from './seed-provider.js'

/** How far back the series go, days by tier; hours are the same for all. */
const DAYS: Readonly<Record<SeedAsset['tier'], number>> = { 1: 400, 2: 120, 3: 120 }
const DAYS_OF_HOURS = 7

const Body = z.strictObject({
  /** Windows that ended up to then are there already; null: none. */
  after: z.iso.datetime().nullable(),
  until: z.iso.datetime(),
})

/** Every crypto asset of the synthetic world that has a level. */
export const SEED_ASSETS: readonly SeedAsset[] = CRYPTO_ASSETS.flatMap(({ assetId, slug, tier }) => {
  const level = CRYPTO_LEVELS.get(slug)
  return level === undefined || tier === null ? [] : { ...level, assetId, tier }
})

/** Made-up candles of four venues, by the real consensus. */
export const seedCandles: Feed<CandleRow> = {
  id: 'seed-candles',
  provider: seedProvider,
  dataset: 'candles',
  description: `Made-up candles of ${SEED_ASSETS.length} crypto assets`,
  cadence: 'each start in development',
  fileNames: [],
  request: () => null,
  parse: (body, context) => parseSpan(body, (fraction) => context.onRead(fraction)),
}

/** What to make: the windows that ended up to `now` and after `newestEnd` (null: all there are); null: none. */
export function seedCandlesBody(now: Date, newestEnd: Date | null): Uint8Array | null {
  const until = startOfHour(now)
  if (newestEnd !== null && newestEnd >= until) return null
  const body: z.infer<typeof Body> = {
    after: newestEnd?.toISOString() ?? null,
    until: until.toISOString(),
  }
  return new TextEncoder().encode(JSON.stringify(body))
}

function* parseSpan(body: Uint8Array, onRead: (fraction: number) => void): Generator<Parsed<CandleRow>> {
  const { after, until } = readSeedBody(body)
  for (const [index, asset] of SEED_ASSETS.entries()) {
    onRead(index / SEED_ASSETS.length)
    yield* candlesOf(asset, '1d', { days: DAYS[asset.tier], after, end: startOfDay(until) })
    yield* candlesOf(asset, '1h', { days: DAYS_OF_HOURS, after, end: until })
  }
  onRead(1)
}

function* candlesOf(
  asset: SeedAsset,
  timeframe: Timeframe,
  span: { readonly days: number; readonly after: Date | null; readonly end: Date },
): Generator<Parsed<CandleRow>> {
  const lengthMs = WINDOW_MS[timeframe]
  const endMs = span.end.getTime()
  const firstMs = endMs - span.days * DAY_MS
  const afterMs = span.after === null ? firstMs : Math.floor(span.after.getTime() / lengthMs) * lengthMs
  for (let ts = Math.max(firstMs, afterMs); ts + lengthMs <= endMs; ts += lengthMs) {
    yield { kind: 'row', row: seedCandle(asset, { timeframe, ts: new Date(ts) }) }
  }
}

function readSeedBody(body: Uint8Array): { readonly after: Date | null; readonly until: Date } {
  try {
    const { after, until } = Body.parse(JSON.parse(new TextDecoder().decode(body)))
    return { after: after === null ? null : new Date(after), until: new Date(until) }
  } catch (cause) {
    throw new BrokenBody('the body is no span of time', { cause })
  }
}
