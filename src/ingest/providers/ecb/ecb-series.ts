import { PROVIDERS } from '../../../core/providers.js'
import type { RequestRate } from '../../../core/request-rate.js'
import { addDays, toIsoDate } from '../../../core/time.js'
import type { MacroObservation } from '../../../domains/macro/model.js'
import { type CsvRecord, csvRecords } from '../../bodies/csv/csv.js'
import { CsvHeader } from '../../bodies/csv/csv-header.js'
import { observedOnce, type PlacedObservation } from '../../bodies/macro/observed-once.js'
import type { Read } from '../../bodies/read.js'
import {
  BrokenBody,
  type FeedRequest,
  type Page,
  type PagedFeed,
  type ParseContext,
  type Parsed,
} from '../../feed.js'
import { byCron } from '../../schedule.js'
import { readEcbObservation, type SeriesOfBody } from './ecb-observation.js'
import { ECB_SERIES } from './series-list.js'

const ADDRESS = 'https://data-api.ecb.europa.eu/service/data'

/** The ECB publishes no limit. */
const RATE: RequestRate = { provider: 'ecb-series', pauseMs: 500 }

const JITTER_MS = 15 * 60_000

/** How far back an ordinary run asks for changes; the weekly run of all periods covers a longer outage. */
const CHANGED_WITHIN_DAYS = 10

/** The columns that the answers of all flows have; the others differ, and are read if present. */
const REQUIRED = ['KEY', 'TIME_PERIOD', 'OBS_VALUE'] as const

const ALL = `${ECB_SERIES.length} series of the ECB: key interest rates, €STR, inflation and yield curves`

/** What both feeds of series share. */
const SERIES = {
  provider: PROVIDERS.ecb,
  dataset: 'ecb',
  fileNames: ['answers of the ECB data API in format=csvdata'],
  request: () => ({ url: ADDRESS, headers: { accept: 'text/csv' }, rate: RATE }),
  next: () => null,
  parsePages,
} as const

/** What changed in the last days. A new value is a change. */
export const ecbSeriesFeed: PagedFeed<MacroObservation> = {
  ...SERIES,
  id: 'ecb-series',
  description: `${ALL}; what changed in the last ${CHANGED_WITHIN_DAYS} days`,
  cadence: 'TARGET days, about 08:00, 11:00 and 12:00 Frankfurt time',
  schedule: byCron('20 7,11 * * *', JITTER_MS),
  requests: (now) =>
    // The ECB answers 404 if nothing changed. For all periods it says that the series is gone, which is an error.
    requestsOf(
      { updatedAfter: `${addDays(toIsoDate(now), -CHANGED_WITHIN_DAYS)}T00:00:00Z` },
      { noDataStatus: 404 },
    ),
}

/** The full history of each series. */
export const ecbSeriesHistoryFeed: PagedFeed<MacroObservation> = {
  ...SERIES,
  id: 'ecb-series-history',
  description: `${ALL}; all periods`,
  cadence: 'each week',
  schedule: byCron('50 5 * * 0', JITTER_MS),
  requests: () => requestsOf({}),
}

/** One request for each series. Days have no attributes worth their size. */
function requestsOf(
  range: Readonly<Record<string, string>>,
  more: Pick<FeedRequest, 'noDataStatus'> = {},
): readonly FeedRequest[] {
  return ECB_SERIES.map(({ dataset, seriesKey, frequency }) => {
    const detail = frequency === 'daily' ? 'dataonly' : 'full'
    const search = new URLSearchParams({ format: 'csvdata', detail, ...range })
    const url = `${ADDRESS}/${dataset}/${seriesKey}?${search}`
    return { url, headers: { accept: 'text/csv' }, rate: RATE, ...more }
  })
}

function parsePages(pages: readonly Page[], context: ParseContext): readonly Parsed<MacroObservation>[] {
  const series: SeriesOfBody = new Map()
  return observedOnce(pages, context, ({ body, request }, page) => {
    const isWithoutData = request !== null && body.length === 0
    return isWithoutData ? [] : readPage(body, { page, series, context })
  })
}

interface PageContext {
  /** Begins the positions of the page. */
  readonly page: string
  readonly series: SeriesOfBody
  readonly context: ParseContext
}

function* readPage(body: Uint8Array, { page, series, context }: PageContext): Generator<PlacedObservation> {
  const records = csvRecords(body)
  const first = records.next()
  if (first.done) throw new BrokenBody('the body is empty')
  const header = new CsvHeader<string>(first.value.cells)
  const wrongHeader = header.missing(REQUIRED)
  if (wrongHeader !== null) throw new BrokenBody(`the body is no answer of the ECB: ${wrongHeader}`)
  if (new Set(first.value.cells).size < first.value.cells.length) {
    throw new BrokenBody('the header has a column twice')
  }
  for (const record of records) {
    const position = `${page}line ${record.line}`
    const read = readRecord(record, header, { series, now: context.now })
    if ('wrong' in read) yield { kind: 'rejected', position, reason: read.wrong }
    else if (read.value === null) context.onAbsent()
    else yield { kind: 'row', row: read.value, position }
  }
}

function readRecord(
  record: CsvRecord,
  header: CsvHeader<string>,
  known: { readonly series: SeriesOfBody; readonly now: Date },
): Read<MacroObservation | null> {
  const wrong = header.explain(record)
  return wrong === null ? readEcbObservation((column) => header.cell(record, column), known) : { wrong }
}
