import { addDays, DAY_MS, type IsoDate, type Period, parseIsoDate, toIsoDate } from '../../../core/time.js'
import type { MacroFact } from '../../../domains/macro/model.js'
import type { PagedFeed, StreamFeed } from '../../feed.js'
import type { SeedVintage } from '../../ingestion.js'
import { bojFeed } from '../../providers/boj/boj.js'
import { BOJ_SERIES } from '../../providers/boj/series-list.js'
import { bokFeed } from '../../providers/bok/bok.js'
import { formatTime } from '../../providers/bok/cycles.js'
import { BOK_SERIES } from '../../providers/bok/series-list.js'
import { noise } from '../../seed/values/noise.js'
import { seedProvider } from '../../seed/values/seed-provider.js'
import { provisionalThenRevised } from '../../seed/values/vintages.js'

/** The first periods are fixed: fifteen years, and two for daily series. */
const FIRST = dateOf('2011-01-01')
const FIRST_OF_DAILY = dateOf('2024-11-01')

/** Level of the synthetic values of a series, its swing as a fraction, and its decimals. */
interface Shape {
  readonly level: number
  readonly swing: number
  readonly decimals: number
}

/** By the unit of a series. */
const SHAPES: Readonly<Record<string, Shape>> = {
  '100 million yen': { level: 5_900_000, swing: 0.1, decimals: 0 },
  '% points': { level: 10, swing: 1.2, decimals: 0 },
  'percent per annum': { level: 0.5, swing: 0.4, decimals: 3 },
  'Yen per U.S. Dollar': { level: 150, swing: 0.06, decimals: 2 },
  'U.S. Dollar per Euro': { level: 1.12, swing: 0.05, decimals: 4 },
  'CY2020=100': { level: 105, swing: 0.08, decimals: 2 },
  '%': { level: 2.5, swing: 0.6, decimals: 1 },
  '% per year': { level: 3, swing: 0.3, decimals: 2 },
  'KRW per USD': { level: 1_380, swing: 0.05, decimals: 1 },
  'KRW per 100 JPY': { level: 920, swing: 0.05, decimals: 2 },
  'KRW per EUR': { level: 1_540, swing: 0.05, decimals: 2 },
  KRW_B: { level: 600_000, swing: 0.08, decimals: 1 },
  'INDEX_2020=100': { level: 108, swing: 0.06, decimals: 2 },
}

/** The monthly series of each bank whose newest value is provisional at first: monetary base and M2. */
const REVISED_OF_BOJ = BOJ_SERIES.filter(({ code }) => code === 'MABS1AN11')
const REVISED_OF_BOK = BOK_SERIES.filter(({ table, cycle }) => table === '161Y006' && cycle === 'M')

/** How far a provisional value is above the final one, as a fraction. */
const PROVISIONAL_EXCESS = 0.002

/** Pages that the parser of a bank reads one by one, separated by a line end. */
function seedBank(bank: PagedFeed<MacroFact>, what: string): StreamFeed<MacroFact> {
  return {
    id: `seed-${bank.id}`,
    provider: seedProvider,
    dataset: bank.dataset,
    description: `Synthetic values of ${what}`,
    cadence: 'each start in development',
    parseStream: async function* (body, context) {
      const chunks: Uint8Array[] = []
      for await (const chunk of body) chunks.push(chunk)
      const texts = Buffer.concat(chunks).toString().split('\n')
      const pages = texts.map((text) => ({ body: new TextEncoder().encode(text), request: null }))
      yield* bank.parsePages(pages, context)
    },
  }
}

/** Synthetic series of the Bank of Japan, read by its parser. */
export const seedBoj = seedBank(bojFeed, `${BOJ_SERIES.length} series of the Bank of Japan`)

/** Synthetic series of the Bank of Korea, read by its parser. */
export const seedBok = seedBank(bokFeed, `${BOK_SERIES.length} series of the Bank of Korea`)

/** Answers of the Bank of Japan at that instant: every period that has ended. */
export function seedBojBody(now: Date): Uint8Array {
  return bojBody(BOJ_SERIES, now)
}

/** A series with a provisional value of its newest month, then the same series with the final value. */
export function seedBojVintages(now: Date): readonly SeedVintage[] {
  return provisionalThenRevised(now, (at, isProvisional) => bojBody(REVISED_OF_BOJ, at, isProvisional))
}

function bojBody(series: typeof BOJ_SERIES, now: Date, isProvisional = false): Uint8Array {
  const pages = series.map(({ db, code, frequency, unit, title }) => {
    const observed = valuesOf(`${db} ${code}`, frequency, unit, now, isProvisional)
    return {
      STATUS: 200,
      PARAMETER: { DB: db, STARTDATE: '', ENDDATE: '' },
      NEXTPOSITION: null,
      RESULTSET: [
        {
          SERIES_CODE: code,
          NAME_OF_TIME_SERIES: `${title} (made up)`,
          UNIT: unit,
          FREQUENCY: frequency.toUpperCase(),
          VALUES: {
            SURVEY_DATES: observed.map(({ start }) => Number(surveyDate(frequency, start))),
            VALUES: observed.map(({ value }) => value),
          },
        },
      ],
    }
  })
  return bodyOf(pages)
}

/** Answers of ECOS at that instant: every period that has ended. */
export function seedBokBody(now: Date): Uint8Array {
  return bokBody(BOK_SERIES, now)
}

/** Like `seedBojVintages`. */
export function seedBokVintages(now: Date): readonly SeedVintage[] {
  return provisionalThenRevised(now, (at, isProvisional) => bokBody(REVISED_OF_BOK, at, isProvisional))
}

function bokBody(series: typeof BOK_SERIES, now: Date, isProvisional = false): Uint8Array {
  const pages = series.map(({ table, items, cycle, unit }) => {
    const frequency = FREQUENCIES[cycle]
    const observed = valuesOf(`${table} ${items} ${cycle}`, frequency, unit, now, isProvisional)
    const row = observed.map(({ start, value }) => ({
      STAT_CODE: table,
      ...Object.fromEntries(items.map((item, at) => [`ITEM_CODE${at + 1}`, item])),
      TIME: formatTime(cycle, start),
      DATA_VALUE: String(value),
    }))
    return { StatisticSearch: { list_total_count: row.length, row } }
  })
  return bodyOf(pages)
}

const FREQUENCIES = { A: 'annual', Q: 'quarterly', M: 'monthly', D: 'daily' } as const

function bodyOf(pages: readonly object[]): Uint8Array {
  return new TextEncoder().encode(pages.map((page) => JSON.stringify(page)).join('\n'))
}

function surveyDate(frequency: Period['frequency'], start: IsoDate): string {
  if (frequency === 'annual') return start.slice(0, 4)
  if (frequency === 'quarterly') return `${start.slice(0, 4)}0${Math.ceil(Number(start.slice(5, 7)) / 3)}`
  return start.replaceAll('-', '').slice(0, frequency === 'monthly' ? 6 : 8)
}

/** Two waves; the same series and period always have the same value. */
function valuesOf(
  series: string,
  frequency: Period['frequency'],
  unit: string,
  now: Date,
  isProvisional: boolean,
) {
  const shape = SHAPES[unit]
  if (shape === undefined) throw new Error(`the unit ${unit} has no synthetic level`)
  const { level, swing, decimals } = shape
  const [slow, fast] = [noise(`${series} slow`), noise(`${series} fast`)]
  return startsUntil(frequency, toIsoDate(now)).map((start, at, { length }) => {
    const years = Date.parse(start) / YEAR_MS
    const waves =
      0.7 * Math.sin(2 * Math.PI * (years / 7 + slow)) + 0.3 * Math.sin(2 * Math.PI * (years / 1.3 + fast))
    const excess = isProvisional && at === length - 1 ? 1 + PROVISIONAL_EXCESS : 1
    return { start, value: Number((level * (1 + swing * waves) * excess).toFixed(decimals)) }
  })
}

const YEAR_MS = 365.25 * DAY_MS
const MONTHS = { annual: 12, quarterly: 3, monthly: 1 } as const

/** First days of the periods that have ended; for daily series, weekdays only. */
function startsUntil(frequency: Period['frequency'], today: IsoDate): readonly IsoDate[] {
  const starts: IsoDate[] = []
  if (frequency === 'daily') {
    for (let day = FIRST_OF_DAILY; day < today; day = addDays(day, 1)) {
      if (![0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())) starts.push(day)
    }
    return starts
  }
  const later = (start: IsoDate) => monthsLater(start, MONTHS[frequency])
  for (let start = FIRST; later(start) <= today; start = later(start)) starts.push(start)
  return starts
}

function monthsLater(date: IsoDate, months: number): IsoDate {
  return toIsoDate(new Date(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1 + months, 1)))
}

function dateOf(text: string): IsoDate {
  const date = parseIsoDate(text)
  if (date === null) throw new Error(`${text} is not a date`)
  return date
}
