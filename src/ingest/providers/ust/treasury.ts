import { PROVIDERS } from '../../../core/providers.js'
import type { RequestRate } from '../../../core/request-rate.js'
import { addDays, type IsoDate, parseIsoDate, toIsoDate } from '../../../core/time.js'
import type { MacroObservation } from '../../../domains/macro/model.js'
import { observedOnce, type PlacedObservation } from '../../bodies/macro/observed-once.js'
import { type Read, readOn } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import {
  type FeedRequest,
  type Page,
  type PagedFeed,
  type ParseContext,
  type Parsed,
  quoted,
} from '../../feed.js'
import { byCron } from '../../schedule.js'
import { DAY_ELEMENTS, isNotServed, seriesOfElement } from './elements.js'
import { type RateCell, type RateEntry, readRateEntries } from './entries.js'
import { UST_SERIES } from './series-list.js'

const ADDRESS = 'https://home.treasury.gov/resource-center/data-chart-center/interest-rates/pages/xml'

/** The answers of the service, and the first year that each has. */
const KINDS = [
  ['daily_treasury_yield_curve', 1990],
  ['daily_treasury_bill_rates', 2002],
  ['daily_treasury_real_yield_curve', 2003],
] as const

/** The Treasury states no limit. */
const RATE: RequestRate = { provider: 'ust', pauseMs: 1_000 }

const JITTER_MS = 15 * 60_000

/** What both feeds of the Treasury share. */
const TREASURY = {
  provider: PROVIDERS.ust,
  dataset: 'ust',
  fileNames: ['answers of pages/xml: par, real or bill rates of any month or year'],
  request: () => ({ url: ADDRESS, headers: { accept: 'application/xml' }, rate: RATE }),
  next: () => null,
  parsePages,
} as const

/** The rates of this month and the one before, because the Treasury corrects days without notice. */
export const treasuryFeed: PagedFeed<MacroObservation> = {
  ...TREASURY,
  id: 'treasury',
  description: `${UST_SERIES.length} rates of the US Treasury by day, of this month and the one before`,
  cadence: 'bond market days, about 18:00 New York time',
  schedule: byCron('15 23 * * *', JITTER_MS),
  requests: (now) => {
    const month = toIsoDate(now).slice(0, 7)
    const before = toIsoDate(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0))).slice(0, 7)
    return [before, month].flatMap((text) =>
      KINDS.map(([kind]) => requestOf(kind, 'field_tdr_date_value_month', text.replace('-', ''))),
    )
  },
}

/** The rates of every year: the first run loads the history, the later ones find corrections. */
export const treasuryHistoryFeed: PagedFeed<MacroObservation> = {
  ...TREASURY,
  id: 'treasury-history',
  description: `${UST_SERIES.length} rates of the US Treasury by day, since 1990`,
  cadence: 'each week',
  schedule: byCron('30 6 * * 0', JITTER_MS),
  requests: (now) =>
    KINDS.flatMap(([kind, first]) =>
      Array.from({ length: now.getUTCFullYear() - first + 1 }, (_, at) =>
        requestOf(kind, 'field_tdr_date_value', String(first + at)),
      ),
    ),
}

function requestOf(kind: string, parameter: string, value: string): FeedRequest {
  const url = `${ADDRESS}?data=${kind}&${parameter}=${value}`
  return { url, headers: { accept: 'application/xml' }, rate: RATE }
}

function parsePages(pages: readonly Page[], context: ParseContext): readonly Parsed<MacroObservation>[] {
  return observedOnce(pages, context, ({ body }, place) =>
    readRateEntries(body).flatMap((entry, at) => [...readEntry(entry, `${place}entry ${at + 1}`, context)]),
  )
}

/** Each element is a cell. An entry that cannot be read as a whole is one rejection, and its other cells are absent. */
function* readEntry(
  { cells, isCut }: RateEntry,
  position: string,
  context: ParseContext,
): Generator<PlacedObservation> {
  const date = isCut ? { wrong: 'the body is cut off within or before the entry' } : readDay(cells, context)
  if ('wrong' in date) {
    context.onAbsent(Math.max(0, cells.length - 1))
    return yield { kind: 'rejected', position, reason: date.wrong }
  }
  for (const { element, text } of cells) {
    if (DAY_ELEMENTS.has(element) || isNotServed(element) || text === null || text === '') {
      context.onAbsent()
      continue
    }
    const place = `${position}, ${date.value}, ${quoted(element)}`
    const read = readRate(element, text, date.value)
    yield 'wrong' in read
      ? { kind: 'rejected', position: place, reason: read.wrong }
      : { kind: 'row', row: read.value, position: place }
  }
}

/** The calendar day in New York. Its text has a time without a zone. */
function readDay(cells: readonly RateCell[], { now }: ParseContext): Read<IsoDate> {
  const days = cells.filter(({ element }) => DAY_ELEMENTS.has(element))
  const [day] = days
  if (day === undefined || days.length > 1) {
    return { wrong: `the entry has ${days.length} of the elements NEW_DATE and INDEX_DATE, not one` }
  }
  const text = day.text ?? ''
  const date = /^\d{4}-\d\d-\d\d(?:T00:00:00)?$/.test(text) ? parseIsoDate(text.slice(0, 10)) : null
  if (date === null) return { wrong: `${day.element} ${quoted(text)} is not a day` }
  return date > addDays(toIsoDate(now), 1) ? { wrong: `${date} is in the future` } : { value: date }
}

function readRate(element: string, text: string, periodStart: IsoDate): Read<MacroObservation> {
  const series = seriesOfElement(element)
  if (series === undefined) return { wrong: 'the element is not a known rate' }
  return readOn(readDecimal(text), (value) => ({
    // The end of a year's answer does not show that the year is complete, so that nothing is withdrawn.
    value: { series, periodStart, value, isOfWholeSeries: false },
  }))
}
