import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ecbPublication, isTargetDay } from '../../../src/core/calendars/target.js'
import { addDays, type Clock, type IsoDate, toIsoDate } from '../../../src/core/time.js'
import { headlineKey } from '../../../src/domains/macro/bis/datasets-model.js'
import { BIS_FLOWS } from '../../../src/ingest/providers/bis/flows.js'
import { BOJ_SERIES } from '../../../src/ingest/providers/boj/series-list.js'
import { PROVIDER_HOSTS } from '../../../src/platform/http-client/provider-addresses.js'
import { FORMS } from '../../ingest/providers/exchanges/answers.js'

/** What a provider does in place of its answer. */
export type Fault =
  | { readonly kind: 'silence' }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterS?: number }
  | { readonly kind: 'page' }
  /** The connection breaks after half of the body. */
  | { readonly kind: 'half' }

export interface Asked {
  readonly provider: string
  readonly at: Date
  readonly url: string
}

/** One server that answers as the ECB and the venues do, in the form of recorded bodies, with facts up to its clock. */
export interface PlayedProviders {
  /** PROVIDER_URL_… of each. */
  readonly env: Readonly<Record<string, string>>
  readonly asked: Asked[]
  fault: (provider: string, at: Date) => Fault | null
  close(): Promise<void>
}

const MINUTE_MS = 60_000

/** How far back venues have bars, where nothing else is said: as far as Kraken. */
const REACH_MS = 720 * MINUTE_MS

/** TARGET days of the history before the clock. */
const DAYS = 60

/** The body of a provider's file at a path; null if it has none. */
export type PlayedFiles = (path: string) => string | null

export interface PlayOptions {
  readonly reachMs?: number
  /** Files of providers that none of the forms below plays. */
  readonly files?: PlayedFiles
}

export async function playProviders(
  clock: Clock,
  { reachMs = REACH_MS, files = () => null }: PlayOptions = {},
): Promise<PlayedProviders> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://played')
    const provider = url.pathname.split('/')[1] ?? ''
    const at = clock.now()
    played.asked.push({ provider, at, url: url.pathname + url.search })
    const fault = played.fault(provider, at)
    const body = files(url.pathname) ?? bodyOf(provider, url, { now: at, reachMs })
    answer(response, body, fault)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  const ids = Object.keys(PROVIDER_HOSTS)
  const played: PlayedProviders = {
    env: Object.fromEntries(
      ids.map((id) => [
        `PROVIDER_URL_${id.toUpperCase().replaceAll('-', '_')}`,
        `http://127.0.0.1:${port}/${id}`,
      ]),
    ),
    asked: [],
    fault: () => null,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return played
}

function bodyOf(provider: string, url: URL, span: Parameters<typeof venueBody>[2]): string {
  if (provider === 'ecb') return ecbBody(url, span.now)
  if (provider === 'bis') return bisBody(url)
  return provider === 'boj' ? bojBody(url) : venueBody(provider, url, span)
}

/** One observation of the main series of Japan in the table that is asked for. */
function bisBody({ pathname }: URL): string {
  const flow = BIS_FLOWS.find(({ dataset }) => pathname.includes(`/${dataset.code}_csv_flat`))
  if (flow === undefined) return ''
  const { dataset, dimensions } = flow
  const codes = headlineKey(dataset, 'JP').split('.')
  return `${[...dimensions, 'TIME_PERIOD', 'OBS_VALUE'].join()}\n${[...codes, '2025-Q4', '1.5'].join()}\n`
}

/** One observation of every series that is asked for. */
function bojBody({ searchParams }: URL): string {
  const db = searchParams.get('db')
  const asked = BOJ_SERIES.filter(
    ({ dataset, seriesKey }) => dataset === db && searchParams.get('code')?.split(',').includes(seriesKey),
  )
  const RESULTSET = asked.map(({ seriesKey, frequency, unit, description }) => ({
    SERIES_CODE: seriesKey,
    NAME_OF_TIME_SERIES: description,
    UNIT: unit,
    FREQUENCY: frequency.toUpperCase(),
    VALUES: { SURVEY_DATES: [frequency === 'daily' ? 20260105 : 202601], VALUES: [1.5] },
  }))
  return JSON.stringify({
    STATUS: 200,
    PARAMETER: { DB: db, STARTDATE: '', ENDDATE: '' },
    NEXTPOSITION: null,
    RESULTSET,
  })
}

function answer(response: ServerResponse, body: string, fault: Fault | null): void {
  switch (fault?.kind) {
    case undefined:
      response.end(body)
      return
    case 'silence':
      return
    case 'status': {
      const { status, retryAfterS } = fault
      response
        .writeHead(status, retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) })
        .end()
      return
    }
    case 'page':
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>Maintenance</title>')
      return
    case 'half':
      response.writeHead(200, { 'content-length': String(Buffer.byteLength(body)) })
      response.write(body.slice(0, body.length / 2), () => response.destroy())
  }
}

/** Rates of USD and JPY: a figure for each day, the same each time it is asked. */
function ecbBody({ pathname }: URL, now: Date): string {
  const days = publishedDays(now)
  const usd = (day: IsoDate) => `1.${day.slice(5, 7)}${day.slice(8)}`
  const jpy = (day: IsoDate) => `18${day.slice(9)}.${day.slice(5, 7)}`
  if (pathname.endsWith('.zip')) {
    const lines = days.toReversed().map((day) => `${day},${usd(day)},${jpy(day)},`)
    return `Date,USD,JPY,\n${lines.join('\n')}\n`
  }
  const line = (quote: string, day: IsoDate, rate: string) =>
    `EXR.D.${quote}.EUR.SP00.A,D,${quote},EUR,SP00,A,${day},${rate},A,0`
  const newest = days.slice(-30).flatMap((day) => [line('USD', day, usd(day)), line('JPY', day, jpy(day))])
  const header =
    'KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE,OBS_STATUS,UNIT_MULT'
  return `${header}\n${newest.join('\n')}\n`
}

function publishedDays(now: Date): readonly IsoDate[] {
  const today = toIsoDate(now)
  const days = Array.from({ length: DAYS }, (_, back) => addDays(today, back + 1 - DAYS))
  return days.filter((day) => isTargetDay(day) && ecbPublication(day) <= now)
}

/** A bar for each whole minute, flat: 1 for a stablecoin, 100 for everything else. */
function venueBody(
  provider: string,
  url: URL,
  { now, reachMs }: { readonly now: Date; readonly reachMs: number },
): string {
  const form = FORMS.find(({ adapter }) => adapter.venue === provider)
  if (form === undefined) return ''
  const symbol = symbolOf(url)
  const price = /^usd[ct]-?usd/i.test(symbol) ? '1' : '100'
  const firstMs = Math.max(
    instantOf(url, ['startTime', 'start', 'since', 'before']) ?? 0,
    now.getTime() - reachMs,
  )
  const endMs = Math.min(
    instantOf(url, ['endTime', 'end', 'after']) ?? now.getTime(),
    now.getTime() - MINUTE_MS,
  )
  const rows: string[] = []
  for (let ms = Math.ceil(firstMs / MINUTE_MS) * MINUTE_MS; ms <= endMs; ms += MINUTE_MS) {
    const prices = { open: price, high: price, low: price, close: price, vwap: price }
    rows.push(form.row({ ms, ...prices, volume: '2', quoteVolume: String(2 * Number(price)) }))
  }
  return form.body(rows).replace('"BTC/USD"', `"${symbol}"`).replace('XXBTZUSD', symbol)
}

/** In the path or in the query, wherever the venue wants it. */
function symbolOf(url: URL): string {
  const named = ['symbol', 'pair', 'instId'].map((name) => url.searchParams.get(name)).find((name) => name)
  return named ?? /\/(?:products|ohlc)\/([^/]+)/.exec(url.pathname)?.[1] ?? ''
}

/** Seconds, milliseconds or ISO text. */
function instantOf(url: URL, names: readonly string[]): number | null {
  const text = names.map((name) => url.searchParams.get(name)).find((value) => value !== null)
  if (text === undefined || text === null) return null
  if (text.includes('-')) return Date.parse(text)
  return Number(text) > 1e12 ? Number(text) : Number(text) * 1000
}
