import { PROVIDERS } from '../../../core/providers.js'
import type { RequestRate } from '../../../core/request-rate.js'
import type { MacroObservation } from '../../../domains/macro/model.js'
import { isJsonObject } from '../../bodies/json/json-body.js'
import { observedOnce, type PlacedObservation } from '../../bodies/macro/observed-once.js'
import type { FeedRequest, Page, PagedFeed, ParseContext, Parsed } from '../../feed.js'
import { byCron } from '../../schedule.js'
import { readBlsAnswer, readSeriesMessage, seriesIdOf } from './answer.js'
import { readBlsSeries } from './read-series.js'
import { BLS_SERIES } from './series-list.js'

const ADDRESS = 'https://api.bls.gov/publicAPI/v2/timeseries/data/'

/** The operator's key in the body of a request. */
const KEY = 'BLS_API_KEY'

/** Years of one request, without a key and with one. The Bureau shortens a longer range. */
const YEARS = 10
const YEARS_WITH_KEY = 20

/** The year in which the consumer price index of the list begins, the oldest of its series. */
const FIRST_YEAR = 1913

/** The Bureau allows 50 requests in ten seconds, and 25 a day without a key. */
const RATE: RequestRate = { provider: 'bls', pauseMs: 1_000 }

const JITTER_MS = 10 * 60_000

const HEADERS = { accept: 'application/json', 'content-type': 'application/json' } as const

/** What both feeds of the Bureau share. */
const BLS = {
  provider: PROVIDERS.bls,
  dataset: 'bls',
  fileNames: ['answers of timeseries/data'],
  request: () => ({ url: ADDRESS, headers: HEADERS, rate: RATE }),
  next: ({ body }: Page) => {
    readBlsAnswer(body) // throws before the next request if the Bureau refuses
    return null
  },
  parsePages,
} as const

/** The last ten years of each series, by one request without a key. */
export const blsFeed: PagedFeed<MacroObservation> = {
  ...BLS,
  id: 'bls',
  description: `${BLS_SERIES.length} series of the US Bureau of Labor Statistics, the last ${YEARS} years`,
  cadence: 'on the days of its release calendar, 08:30 Washington time',
  schedule: byCron('50 13 * * *', JITTER_MS),
  requests: (now) => [requestOf(now.getUTCFullYear() - YEARS + 1, now.getUTCFullYear())],
}

/** All years of each series, which need a key. */
export const blsHistoryFeed: PagedFeed<MacroObservation> = {
  ...BLS,
  id: 'bls-history',
  description: `${BLS_SERIES.length} series of the US Bureau of Labor Statistics, all years`,
  cadence: 'each week; needs BLS_API_KEY',
  schedule: byCron('20 15 * * 0', JITTER_MS),
  keyVariable: KEY,
  requests: (now) => {
    const last = now.getUTCFullYear()
    const ranges = Math.ceil((last - FIRST_YEAR + 1) / YEARS_WITH_KEY)
    return Array.from({ length: ranges }, (_, at) => {
      const end = last - at * YEARS_WITH_KEY
      return requestOf(Math.max(FIRST_YEAR, end - YEARS_WITH_KEY + 1), end, { registrationkey: KEY })
    })
  },
}

function requestOf(first: number, last: number, key: Readonly<Record<string, string>> = {}): FeedRequest {
  const seriesid = BLS_SERIES.map(({ seriesKey }) => seriesKey)
  const body = JSON.stringify({ seriesid, startyear: String(first), endyear: String(last), ...key })
  return { url: ADDRESS, headers: HEADERS, rate: RATE, body }
}

function parsePages(pages: readonly Page[], context: ParseContext): readonly Parsed<MacroObservation>[] {
  return observedOnce(pages, context, (page, place) => readPage(page, place, context))
}

function* readPage(
  { body, request }: Page,
  page: string,
  context: ParseContext,
): Generator<PlacedObservation> {
  const { series, messages } = readBlsAnswer(body)
  for (const [at, text] of messages.entries()) {
    const { isYearWithoutData, text: reason } = readSeriesMessage(text)
    if (isYearWithoutData) context.onAbsent()
    else yield { kind: 'rejected', position: `${page}message ${at + 1}`, reason: `the Bureau says ${reason}` }
  }
  const given = new Set(series.map((item) => (isJsonObject(item) ? item.get('seriesID') : undefined)))
  for (const id of request === null ? [] : requestedIds(request)) {
    if (given.has(id)) continue
    yield {
      kind: 'rejected',
      position: `${page}series ${id}`,
      reason: 'was requested, but the answer lacks it',
    }
  }
  for (const [at, item] of series.entries()) {
    yield* readBlsSeries(item, `${page}series ${at + 1} ${seriesIdOf(item)}`, context)
  }
}

function requestedIds({ body = '{}' }: FeedRequest): readonly string[] {
  return (JSON.parse(body) as { readonly seriesid?: readonly string[] }).seriesid ?? [] // written by `requestOf`
}
