import { groupBy } from '../../../core/group-by.js'
import { PROVIDERS } from '../../../core/providers.js'
import type { RequestRate } from '../../../core/request-rate.js'
import { toIsoDate } from '../../../core/time.js'
import type { MacroFact } from '../../../domains/macro/model.js'
import { SeenPeriods } from '../../bodies/seen-periods.js'
import {
  BrokenBody,
  type FeedRequest,
  type Page,
  type PagedFeed,
  type ParseContext,
  type Parsed,
} from '../../feed.js'
import { byCron } from '../../schedule.js'
import { readBojAnswer } from './answer.js'
import { readBojSeries, seriesCodeOf } from './read-series.js'
import { BOJ_SERIES } from './series-list.js'

const ADDRESS = 'https://www.stat-search.boj.or.jp/api/v1/getDataCode'

/** Tokyo is nine hours ahead, so its days begin before those of UTC. */
const TOKYO_AHEAD_MS = 9 * 3_600_000

/** The Bank publishes no rate limit but restricts "excessive access". */
const RATE: RequestRate = { provider: 'boj', pauseMs: 1_000 }

const JITTER_MS = 15 * 60_000

/** More than any database has, except the one of the Tankan, whose metadata has 99 MB. */
const MAX_SERIES = 10_000

/** The full history of the listed series from the API of the Bank, or any of its bodies from a file. */
export const bojFeed: PagedFeed<MacroFact> = {
  id: 'boj',
  provider: PROVIDERS.boj,
  dataset: 'boj',
  description: `${BOJ_SERIES.length} series of the Bank of Japan; from a file any answer of getDataCode, getDataLayer or getMetadata`,
  cadence: 'each day, about 08:50 Tokyo time',
  schedule: byCron('15 0 * * *', JITTER_MS),
  fileNames: ['answers of the API in format=json'],
  request: () => ({ url: ADDRESS, headers: { accept: 'application/json' }, rate: RATE }),
  requests: () => requestsOf(),
  next: nextOf,
  parsePages,
}

/** One request per database and frequency. Without dates the answer holds the full history. */
function requestsOf(): readonly FeedRequest[] {
  const groups = groupBy(BOJ_SERIES, ({ dataset, frequency }) => `${dataset} ${frequency}`)
  return [...groups.values()].map((series) => {
    const url = new URL(ADDRESS)
    const codes = series.map(({ seriesKey }) => seriesKey).join(',')
    for (const [name, value] of Object.entries({
      format: 'json',
      lang: 'en',
      db: series[0].dataset,
      code: codes,
    })) {
      url.searchParams.set(name, value)
    }
    return { url: url.href, headers: { accept: 'application/json' }, rate: RATE }
  })
}

function nextOf({ body, request }: Page & { readonly request: FeedRequest }): FeedRequest | null {
  const { nextPosition } = readBojAnswer(body)
  if (nextPosition === null) return null
  const url = new URL(request.url)
  const position = Number(url.searchParams.get('startPosition') ?? 1)
  if (Number(nextPosition) <= position) {
    throw new BrokenBody(`NEXTPOSITION ${nextPosition} does not follow the page that begins at ${position}`)
  }
  url.searchParams.set('startPosition', nextPosition)
  return { ...request, url: url.href }
}

function* parsePages(
  pages: readonly Page[],
  { now, onRead, onAbsent }: ParseContext,
): Generator<Parsed<MacroFact>> {
  const today = toIsoDate(new Date(now.getTime() + TOKYO_AHEAD_MS))
  const seen = new SeenPeriods()
  for (const [at, { body }] of pages.entries()) {
    const answer = readBojAnswer(body)
    if (answer.series.length > MAX_SERIES) {
      throw new BrokenBody(`the answer has ${answer.series.length} series, more than ${MAX_SERIES}`)
    }
    for (const [place, item] of answer.series.entries()) {
      const page = pages.length > 1 ? `page ${at + 1}, ` : ''
      yield* readBojSeries(item, `${page}series ${place + 1} ${seriesCodeOf(item)}`, {
        answer,
        seen,
        today,
        onAbsent,
      })
    }
    const last = answer.series.at(-1)
    if (answer.cut.has(answer.series) && (last === undefined || !answer.cut.has(last))) {
      const position = `after series ${answer.series.length}`
      yield { kind: 'rejected', position, reason: 'the body is cut off' }
    }
    onRead((at + 1) / pages.length)
  }
}
