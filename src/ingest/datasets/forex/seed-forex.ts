import { ecbPublication, previousTargetDay } from '../../../core/calendars/target.js'
import { memoizeByObject } from '../../../core/memoize-by-object.js'
import { addDays, daysBetween, type IsoDate, parseIsoDate, toIsoDate } from '../../../core/time.js'
import { FOREX_CURRENCIES, type Rate } from '../../../domains/forex/model.js'
import type { Feed } from '../../feed.js'
import type { SeedVintage } from '../../ingestion.js'
import { parseEcbHistory } from '../../providers/ecb/ecb-history.js'
import { noise } from '../../seed/values/noise.js'
import { SEED_FEED } from '../../seed/values/seed-provider.js'
import { vintageTimes } from '../../seed/values/vintages.js'

/** Publication days per currency: 4.7 years, 36,450 rates in all. */
const DAYS = 1_215

interface Shape {
  readonly code: string
  /** Level of the synthetic rate, in the order of magnitude of 2025. */
  readonly anchor: number
  /** Largest distance of the waves from the level, as a fraction; 0 for a pegged currency. */
  readonly swing: number
  readonly decimals: number
  /** Last day of a currency that no longer exists. */
  readonly lastDate?: string
}

// biome-ignore format: one row a line
const SHAPES: readonly Shape[] = [
  { code: 'AUD', anchor: 1.7, swing: 0.05, decimals: 4 },
  { code: 'BGN', anchor: 1.95583, swing: 0, decimals: 5, lastDate: '2025-12-31' },
  { code: 'BRL', anchor: 6.1, swing: 0.09, decimals: 4 },
  { code: 'CAD', anchor: 1.55, swing: 0.04, decimals: 4 },
  { code: 'CHF', anchor: 0.95, swing: 0.03, decimals: 4 },
  { code: 'CNY', anchor: 7.9, swing: 0.04, decimals: 4 },
  { code: 'CZK', anchor: 24.8, swing: 0.02, decimals: 4 },
  { code: 'DKK', anchor: 7.46, swing: 0.0005, decimals: 4 },
  { code: 'GBP', anchor: 0.86, swing: 0.03, decimals: 4 },
  { code: 'HKD', anchor: 8.6, swing: 0.05, decimals: 4 },
  { code: 'HUF', anchor: 395, swing: 0.05, decimals: 2 },
  { code: 'IDR', anchor: 17800, swing: 0.05, decimals: 2 },
  { code: 'ILS', anchor: 3.95, swing: 0.06, decimals: 4 },
  { code: 'INR', anchor: 95, swing: 0.05, decimals: 4 },
  { code: 'ISK', anchor: 147, swing: 0.03, decimals: 4 },
  { code: 'JPY', anchor: 165, swing: 0.06, decimals: 2 },
  { code: 'KRW', anchor: 1540, swing: 0.05, decimals: 2 },
  { code: 'MXN', anchor: 20.5, swing: 0.07, decimals: 4 },
  { code: 'MYR', anchor: 4.85, swing: 0.04, decimals: 4 },
  { code: 'NOK', anchor: 11.6, swing: 0.04, decimals: 4 },
  { code: 'NZD', anchor: 1.9, swing: 0.05, decimals: 4 },
  { code: 'PHP', anchor: 64, swing: 0.05, decimals: 4 },
  { code: 'PLN', anchor: 4.3, swing: 0.03, decimals: 4 },
  { code: 'RON', anchor: 5, swing: 0.01, decimals: 4 },
  { code: 'SEK', anchor: 11.2, swing: 0.04, decimals: 4 },
  { code: 'SGD', anchor: 1.48, swing: 0.03, decimals: 4 },
  { code: 'THB', anchor: 37.6, swing: 0.04, decimals: 4 },
  { code: 'TRY', anchor: 45, swing: 0.1, decimals: 4 },
  { code: 'USD', anchor: 1.12, swing: 0.05, decimals: 4 },
  { code: 'ZAR', anchor: 20.4, swing: 0.06, decimals: 4 },
]

/** Lengths in days and weights of the waves: years, seasons, weeks. */
const WAVES = [
  [1_460, 0.55],
  [389, 0.25],
  [97, 0.14],
  [23, 0.06],
] as const

/** Largest synthetic move of one day, as a fraction of the swing. */
const DAILY_NOISE = 0.03

/** How far a provisional rate is above the final one, as a fraction. */
const PROVISIONAL_EXCESS = 0.001

/** Day zero of the waves. Another day would change every figure. */
const EPOCH = parseIsoDate('1999-01-04') ?? toIsoDate(new Date(0))

/** Synthetic reference rates in the format of the ECB's file, read by the ECB's parser. */
export const seedForex: Feed<Rate> = {
  id: 'seed-forex',
  ...SEED_FEED,
  dataset: 'forex',
  description: `Synthetic euro rates of ${FOREX_CURRENCIES.length} currencies on ${DAYS} publication days each`,
  parse: (body, context) => parseEcbHistory(body, context),
}

/**
 * The file at that instant: newest day first, N/A if a currency has no rate. It begins with the day that is stored last. Null
 * if no day was published since.
 */
export function seedForexBody(now: Date, newest: Date | null = null): Uint8Array | null {
  const last = lastPublished(now)
  const stored = newest === null ? null : toIsoDate(newest)
  if (stored !== null && stored >= last) return null
  const spans = spansUntil(last)
  return fileOf(spans, stored ?? firstDateOf(spans), last)
}

/** The file with provisional rates of its newest day, then the following days with the final rates of that day. */
export function seedForexVintages(now: Date): readonly SeedVintage[] {
  const { provisionalAt, revisedAt } = vintageTimes(now)
  const spans = spansUntil(lastPublished(now))
  const provisional = lastPublished(provisionalAt)
  const first = fileOf(spans, firstDateOf(spans), provisional, provisional)
  return [
    { knownAt: provisionalAt, body: first },
    { knownAt: revisedAt, body: fileOf(spans, provisional, lastPublished(revisedAt)) },
  ]
}

/** A currency, and its first and last day in the file. */
interface Span {
  readonly shape: Shape
  readonly first: IsoDate
  readonly last: IsoDate
}

function spansUntil(newest: IsoDate): readonly Span[] {
  // Nearly all end on the same day, and so begin on the same day.
  const firsts = new Map<IsoDate, IsoDate>()
  return SHAPES.map((shape) => {
    const last = lastOf(shape, newest)
    const first = firsts.get(last) ?? firstOf(last)
    firsts.set(last, first)
    return { shape, first, last }
  })
}

function firstDateOf(spans: readonly Span[]): IsoDate {
  const [earliest = EPOCH] = spans.map(({ first }) => first).sort()
  return earliest
}

function fileOf(
  spans: readonly Span[],
  from: IsoDate,
  to: IsoDate,
  provisional: IsoDate | null = null,
): Uint8Array {
  const lines = [`Date,${SHAPES.map(({ code }) => code).join()},`]
  for (let date = to; date >= from; date = dayBefore(date)) {
    const cells = spans.map(({ shape, first, last }) =>
      date >= first && date <= last ? seedRate(shape, date, date === provisional) : 'N/A',
    )
    lines.push(`${date},${cells.join()},`)
  }
  return new TextEncoder().encode(`${lines.join('\n')}\n`)
}

function lastOf({ lastDate }: Shape, newest: IsoDate): IsoDate {
  const ended = lastDate === undefined ? null : parseIsoDate(lastDate)
  return ended === null || ended > newest ? newest : ended
}

function firstOf(last: IsoDate): IsoDate {
  let first = last
  for (let day = 1; day < DAYS; day++) first = dayBefore(first)
  return first
}

/** The newest published day; none may be in the future. */
function lastPublished(now: Date): IsoDate {
  const today = previousTargetDay(toIsoDate(now))
  return ecbPublication(today) <= now ? today : dayBefore(today)
}

function dayBefore(date: IsoDate): IsoDate {
  return previousTargetDay(addDays(date, -1))
}

/** Each rate of a currency needs its waves. */
const wavesOf = memoizeByObject(({ code }: Shape) =>
  WAVES.map(([length, weight]) => ({ length, weight, phase: noise(`${code}${length}`) })),
)

/** Depends only on currency and day, so the same day always has the same rate. */
function seedRate(shape: Shape, date: IsoDate, isProvisional = false): string {
  const { code, anchor, swing, decimals } = shape
  const day = daysBetween(EPOCH, date)
  const wave = wavesOf(shape).reduce(
    (sum, { length, weight, phase }) => sum + weight * Math.sin(2 * Math.PI * (day / length + phase)),
    0,
  )
  const daily = DAILY_NOISE * (2 * noise(`${code}${date}`) - 1)
  const rate = anchor * Math.exp(swing * (wave + daily))
  return (isProvisional ? rate * (1 + PROVISIONAL_EXCESS) : rate).toFixed(decimals)
}

/** Synthetic price of a unit of a currency in USD on a day, or on the last publication day before it. */
export function seedUsdPer(currency: string, day: IsoDate): number {
  const date = previousTargetDay(day)
  const perEuro = (code: string) => {
    if (code === 'EUR') return 1
    const shape = SHAPES.find((one) => one.code === code)
    if (shape === undefined) throw new Error(`${code} has no synthetic rate`)
    return Number(seedRate(shape, date))
  }
  return perEuro('USD') / perEuro(currency)
}
