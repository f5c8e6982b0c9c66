import { PROVIDERS } from '../../../core/providers.js'
import type { RequestRate } from '../../../core/request-rate.js'
import { type IsoDate, toIsoDate } from '../../../core/time.js'
import type { MacroFact } from '../../../domains/macro/model.js'
import type { TrackedSeries } from '../../bodies/macro/series-list.js'
import {
  BrokenBody,
  type FeedRequest,
  type Page,
  type PagedFeed,
  type ParseContext,
  type Parsed,
} from '../../feed.js'
import { byCron } from '../../schedule.js'
import { readBokAnswer } from './answer.js'
import { formatTime } from './cycles.js'
import { FoundSeries } from './found-series.js'
import { readRow } from './read-row.js'
import { BOK_SERIES } from './series-list.js'

/** The key is part of the path. A redacted URL has the name of the variable instead. */
const KEY = 'BOK_API_KEY'
const ADDRESS = `https://ecos.bok.or.kr/api/StatisticSearch/${KEY}/json/kr`

/** A window of about 4 MB; a larger one runs into the time-out of the service (ERROR-400). */
const WINDOW_ROWS = 10_000

/** The cycle of the series of a frequency. */
const CYCLES = { annual: 'A', quarterly: 'Q', monthly: 'M', daily: 'D' } as const

/** No table begins earlier; by cycle. */
const FIRST_TIME = { A: '1950', Q: '1950Q1', M: '195001', D: '19500101' } as const

/** The service throttles "excess" (ERROR-602) without a published rate. */
const RATE: RequestRate = { provider: 'bok', pauseMs: 1_000 }

const JITTER_MS = 15 * 60_000

/** Seoul is nine hours ahead, so its days begin before those of UTC. */
const SEOUL_AHEAD_MS = 9 * 3_600_000

/** The full history of the listed series from ECOS, or any of its answers from a file. */
export const bokFeed: PagedFeed<MacroFact> = {
  id: 'bok',
  provider: PROVIDERS.bok,
  dataset: 'bok',
  description: `${BOK_SERIES.length} series of the Bank of Korea; from a file any answer of StatisticSearch`,
  cadence: 'each day; needs BOK_API_KEY',
  schedule: byCron('45 8 * * *', JITTER_MS),
  keyVariable: KEY,
  fileNames: ['answers of StatisticSearch in JSON, or its rows as CSV'],
  request: () => ({ url: ADDRESS, headers: { accept: 'application/json' }, rate: RATE }),
  requests: (now) => BOK_SERIES.map((series) => requestOf(series, todayInSeoul(now))),
  next: nextOf,
  parsePages,
}

function todayInSeoul(now: Date): IsoDate {
  return toIsoDate(new Date(now.getTime() + SEOUL_AHEAD_MS))
}

function requestOf({ dataset, seriesKey, frequency }: TrackedSeries, today: IsoDate): FeedRequest {
  const cycle = CYCLES[frequency]
  const items = seriesKey.split('_').slice(0, -1)
  const path = [
    1,
    WINDOW_ROWS,
    dataset,
    cycle,
    FIRST_TIME[cycle],
    formatTime(cycle, today),
    ...items.map(encodeURIComponent),
  ]
  return { url: `${ADDRESS}/${path.join('/')}`, headers: { accept: 'application/json' }, rate: RATE }
}

/** The total says whether another window follows; the rows do not. */
function nextOf({ body, request }: Page & { readonly request: FeedRequest }): FeedRequest | null {
  const { total } = readBokAnswer(body)
  const rest = request.url.slice(ADDRESS.length + 1).split('/')
  const last = Number(rest[1])
  if (total === null) throw new BrokenBody('the answer is not JSON')
  if (total <= last) return null
  const url = [ADDRESS, last + 1, last + WINDOW_ROWS, ...rest.slice(2)].join('/')
  return { ...request, url }
}

/** Rows of a series are collected first, because only then it is known whether all could be read. */
function* parsePages(
  pages: readonly Page[],
  { now, onRead, onAbsent }: ParseContext,
): Generator<Parsed<MacroFact>> {
  const today = todayInSeoul(now)
  const found = new FoundSeries(onAbsent)
  for (const [at, { body, request }] of pages.entries()) {
    const { total, rows } = readBokAnswer(body)
    const window = found.window(request === null ? null : questionOf(request))
    for (const row of rows) {
      const read = readRow(row, today)
      const position = `${pages.length > 1 ? `page ${at + 1}, ` : ''}${row.position}`
      if ('value' in read) window.take(read.value, position)
      else {
        window.miss()
        yield { kind: 'rejected', position, reason: read.wrong }
      }
    }
    window.end(total)
    onRead((at + 1) / pages.length)
  }
  yield* found.rows()
}

/** The request without its window, which names the series. */
function questionOf({ url }: FeedRequest): string {
  return url
    .slice(ADDRESS.length + 1)
    .split('/')
    .slice(2)
    .join('/')
}
