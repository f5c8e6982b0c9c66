import { MINUTE_MS } from '../../../../src/core/time.js'
import type { HttpClient } from '../../../../src/platform/http-client/http-client.js'
import type { HttpResponse } from '../../../../src/platform/http-client/read-response.js'
import { UpstreamError } from '../../../../src/platform/http-client/upstream-error.js'
import { formOf } from '../../providers/exchanges/answers.js'
import type { VirtualTime } from '../../schedule/virtual-time.js'

export const EXCHANGES = ['binance', 'bitstamp', 'coinbase', 'kraken'] as const
export type Exchange = (typeof EXCHANGES)[number]

/** The published limits: so many units in any span of that length, and the units of one request. */
export const LIMITS: Readonly<Record<Exchange, { units: number; spanMs: number; perRequest: number }>> = {
  binance: { units: 6_000, spanMs: MINUTE_MS, perRequest: 2 },
  bitstamp: { units: 10_000, spanMs: 10 * MINUTE_MS, perRequest: 1 },
  coinbase: { units: 10, spanMs: 1_000, perRequest: 1 },
  kraken: { units: 1, spanMs: 1_000, perRequest: 1 },
}

/** How far back Kraken serves minutes. */
const KRAKEN_REACH_MS = 720 * MINUTE_MS

export interface PlayedRequest {
  readonly exchange: Exchange
  readonly symbol: string
  readonly atMs: number
  readonly url: string
}

/** Four exchanges at their limits, without a network. */
export interface PlayedExchanges {
  readonly http: HttpClient
  readonly requests: PlayedRequest[]
  /** Requests that were answered with 429. */
  readonly overLimit: PlayedRequest[]
  /** Largest share of the limit that was used in any span, by exchange. */
  readonly use: Map<Exchange, number>
  /** The status of an exchange that is down, or null. */
  fault: (exchange: Exchange, symbol: string) => number | null
}

/**
 * `tradesAt`: whether the pair trades in the minute that starts then; `latencyMs`: how long an answer takes.
 */
export function playExchanges(
  time: VirtualTime,
  tradesAt: (symbol: string, minuteMs: number) => boolean,
  latencyMs = 0,
): PlayedExchanges {
  const recent = new Map<Exchange, number[]>()
  const played: PlayedExchanges = {
    requests: [],
    overLimit: [],
    use: new Map(),
    fault: () => null,
    http: {
      request: async ({ url, signal }) => {
        const request = toRequest(url, time.lanes.nowMs())
        const response = answer(request, new URL(url))
        if (latencyMs > 0) await time.lanes.sleep(latencyMs, signal ?? new AbortController().signal)
        signal?.throwIfAborted()
        if (response instanceof Error) throw response
        return response
      },
    },
  }
  const answer = (request: PlayedRequest, url: URL): HttpResponse | UpstreamError => {
    played.requests.push(request)
    if (count(request) > 1) {
      played.overLimit.push(request)
      return new UpstreamError('status', `${request.exchange} answered with status 429`, { status: 429 })
    }
    const status = played.fault(request.exchange, request.symbol)
    if (status !== null && status >= 500)
      return new UpstreamError('status', `${request.exchange} answered with status ${status}`, { status })
    const body = Buffer.from(status === null ? bodyOf(request, url, tradesAt) : 'denied')
    return { status: status ?? 200, headers: new Headers(), body }
  }
  /** The used share of the limit. */
  const count = ({ exchange, atMs }: PlayedRequest): number => {
    const { units, spanMs, perRequest } = LIMITS[exchange]
    const times = recent.get(exchange) ?? []
    recent.set(exchange, times)
    while (times[0] !== undefined && times[0] <= atMs - spanMs) times.shift()
    times.push(atMs)
    const share = (times.length * perRequest) / units
    played.use.set(exchange, Math.max(played.use.get(exchange) ?? 0, share))
    return share
  }
  return played
}

function toRequest(address: string, atMs: number): PlayedRequest {
  const url = new URL(address)
  const exchange = EXCHANGES.find((name) => url.host.includes(name))
  if (exchange === undefined) throw new Error(`no exchange at ${url.host}`)
  const named = url.searchParams.get('symbol') ?? url.searchParams.get('pair')
  const symbol = named ?? /\/(?:products|ohlc)\/([^/]+)/.exec(url.pathname)?.[1] ?? ''
  return { exchange, symbol, atMs, url: address }
}

/** A flat bar for each minute with a trade: 1 for a stablecoin, 100 for everything else. */
function bodyOf(
  { exchange, symbol, atMs }: PlayedRequest,
  url: URL,
  tradesAt: (symbol: string, minuteMs: number) => boolean,
): string {
  const form = formOf(exchange)
  const price = /^usd[ct]-?usd/i.test(symbol) ? '1' : '100'
  const firstMs = instantOf(url, ['startTime', 'start', 'since']) ?? 0
  const fromMs = Math.max(firstMs, exchange === 'kraken' ? atMs - KRAKEN_REACH_MS : 0)
  const endMs = Math.min(instantOf(url, ['endTime', 'end']) ?? atMs, atMs - MINUTE_MS)
  const rows: string[] = []
  for (let ms = Math.ceil(fromMs / MINUTE_MS) * MINUTE_MS; ms <= endMs; ms += MINUTE_MS) {
    if (!tradesAt(symbol, ms)) continue
    const prices = { open: price, high: price, low: price, close: price, vwap: price }
    rows.push(form.row({ ms, ...prices, volume: '2', quoteVolume: String(2 * Number(price)) }))
  }
  return form.body(rows).replace('"BTC/USD"', `"${symbol}"`).replace('XXBTZUSD', symbol)
}

/** Seconds, milliseconds or ISO text. */
function instantOf(url: URL, names: readonly string[]): number | null {
  const text = names.map((name) => url.searchParams.get(name)).find((value) => value !== null)
  if (text === undefined || text === null) return null
  if (text.includes('-')) return Date.parse(text)
  return Number(text) > 1e12 ? Number(text) : Number(text) * 1000
}
