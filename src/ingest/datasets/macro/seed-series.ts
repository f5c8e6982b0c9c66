import { decimal, decimalText } from '../../../core/decimal.js'
import { endOfPeriod } from '../../../core/period.js'
import { fullTextOf, MACRO_PUBLISHERS, type MacroProvider, toPublisher } from '../../../core/providers.js'
import { addDays, DAY_MS, type IsoDate, requireIsoDate, toIsoDate } from '../../../core/time.js'
import type { MacroFact } from '../../../domains/macro/model.js'
import type { TrackedSeries } from '../../bodies/macro/series-list.js'
import { type Feed, jsonOfBody, type Parsed, type Sink } from '../../feed.js'
import { type SeedFeed, seedFeed } from '../../ingestion.js'
import { noise } from '../../seed/values/noise.js'
import { SEED_FEED } from '../../seed/values/seed-provider.js'
import { provisionalThenRevised } from '../../seed/values/vintages.js'

/** The first periods are fixed: fifteen years, and two for daily series. */
const FIRST = requireIsoDate('2011-01-01')
const FIRST_OF_DAILY = requireIsoDate('2024-11-01')

/** How far a provisional value is above the final one, as a fraction. */
const PROVISIONAL_EXCESS = 0.002

/** The values of a series, by its place in the list. */
type SeededSeries = readonly [place: number, values: readonly (readonly [start: IsoDate, value: number])[]]

/** Synthetic values of the series that a publisher's feed requests. */
export function seedSeries(
  provider: MacroProvider,
  list: readonly TrackedSeries[],
  sink: Sink<MacroFact>,
): SeedFeed {
  const feed: Feed<MacroFact> = {
    id: `seed-${provider}`,
    ...SEED_FEED,
    dataset: provider,
    description: `Synthetic values of ${list.length} series of ${fullTextOf(toPublisher(provider, MACRO_PUBLISHERS))}`,
    parse: (body) => readSeeded(body, list),
  }
  return seedFeed(feed, sink, (now) => bodyOf(list, now), {
    vintages: (now) =>
      provisionalThenRevised(now, (at, isProvisional) =>
        bodyOf(list, at, { isProvisional, isOfRevised: true }),
      ),
  })
}

function* readSeeded(body: Uint8Array, list: readonly TrackedSeries[]): Generator<Parsed<MacroFact>> {
  const seeded = jsonOfBody(body, 200) as readonly SeededSeries[] // `bodyOf` has written it
  for (const [place, values] of seeded) {
    const listed = list[place]
    if (listed === undefined) continue
    const { synthetic: _synthetic, ...given } = listed
    const series = { ...given, description: `${given.description} (made up)` }
    for (const [periodStart, value] of values) {
      const row = { series, periodStart, value: decimalText(decimal(value)), isOfWholeSeries: true }
      yield { kind: 'row', row }
    }
  }
}

/** Every period that has ended at that instant; `isOfRevised`: of series whose newest value is provisional at first. */
function bodyOf(
  list: readonly TrackedSeries[],
  now: Date,
  { isProvisional = false, isOfRevised = false } = {},
): Uint8Array {
  const frequencies = new Set(list.map(({ frequency }) => frequency))
  const starts = new Map([...frequencies].map((each) => [each, startsUntil(each, toIsoDate(now))]))
  const seeded = list.flatMap((series, place): readonly SeededSeries[] =>
    isOfRevised && series.synthetic.isRevised !== true
      ? []
      : [[place, valuesOf(series, starts.get(series.frequency) ?? [], isProvisional)]],
  )
  return new TextEncoder().encode(JSON.stringify(seeded))
}

/**
 * Two waves; the same series and period always have the same value. The daily series of a dataset are rates of one market, which
 * move together.
 */
function valuesOf(
  series: TrackedSeries,
  starts: readonly IsoDate[],
  isProvisional: boolean,
): SeededSeries[1] {
  const { level, swing, decimals } = series.synthetic
  const name = `${series.dataset} ${series.frequency === 'daily' ? series.country : series.seriesKey}`
  const [slow, fast] = [noise(`${name} slow`), noise(`${name} fast`)]
  return starts.map((start, at, { length }) => {
    const years = Date.parse(start) / YEAR_MS
    const waves =
      0.7 * Math.sin(2 * Math.PI * (years / 7 + slow)) + 0.3 * Math.sin(2 * Math.PI * (years / 1.3 + fast))
    const excess = isProvisional && at === length - 1 ? 1 + PROVISIONAL_EXCESS : 1
    return [start, Number((level * (1 + swing * waves) * excess).toFixed(decimals))]
  })
}

const YEAR_MS = 365.25 * DAY_MS

/** First days of the periods that have ended; for daily series, weekdays only. */
function startsUntil(frequency: TrackedSeries['frequency'], today: IsoDate): readonly IsoDate[] {
  const starts: IsoDate[] = []
  const after = (start: IsoDate) => addDays(endOfPeriod({ frequency, start }), 1)
  const first = frequency === 'daily' ? FIRST_OF_DAILY : FIRST
  for (let start = first, next = after(start); next <= today; start = next, next = after(start)) {
    const isWeekend = [0, 6].includes(new Date(`${start}T00:00:00Z`).getUTCDay())
    if (frequency !== 'daily' || !isWeekend) starts.push(start)
  }
  return starts
}
