import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Venue } from '../../../../src/core/consensus/venue-symbols.js'
import { loadCandles } from '../../../../src/ingest/candles/items/load-candles.js'
import type { LoadProgress, LoadSummary } from '../../../../src/ingest/candles/items/load-counts.js'
import { windowsOf } from '../../../../src/ingest/candles/items/work-window.js'
import type { VenueAsset } from '../../../../src/ingest/candles/venue-assets.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createHttpClient, type HttpClient } from '../../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { formOf, type VenueForm } from '../../providers/exchanges/answers.js'

export const BITCOIN: VenueAsset = { assetId: 1, slug: 'bitcoin', ticker: 'BTC', tier: 1 }
export const TETHER: VenueAsset = { assetId: 6, slug: 'tether', ticker: 'USDT', tier: 1 }

export const VENUES = ['binance', 'bitstamp', 'coinbase', 'kraken'] as const

export type PlayedVenue = (typeof VENUES)[number]

/** A bar that a played venue tells, flat at its price: start, price and volume. */
export interface FlatBar {
  readonly ts: Date
  readonly price: string
  readonly volume: string
}

/** What a venue answers instead of its bars. */
export interface PlayedAnswer {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Four servers that speak as the venues do. */
export interface VenueWorld {
  /** By venue and symbol as the venue writes it. */
  readonly bars: Map<string, FlatBar[]>
  /** Rows that a venue puts before its bars, by venue and symbol. */
  readonly rawRows: Map<string, readonly string[]>
  /** An answer in place of the bars, by venue and symbol; `null`: the bars. */
  answer: (venue: PlayedVenue, symbol: string) => PlayedAnswer | 'silence' | null
  /** A silent venue is given up after this, in place of the product's time-out; `null`: that one. */
  timeoutMs: number | null
  readonly asked: { readonly venue: PlayedVenue; readonly url: string }[]
  /** The most requests that one venue had under way at once. */
  most: number
  readonly http: HttpClient
  close(): Promise<void>
}

export async function openVenueWorld(): Promise<VenueWorld> {
  const servers: Server[] = []
  const ports = new Map<PlayedVenue, number>()
  const under = new Map<PlayedVenue, number>()
  const client = createHttpClient({ log: createLogger('silent'), userAgent: 'test' })
  const world: VenueWorld = {
    bars: new Map(),
    rawRows: new Map(),
    answer: () => null,
    timeoutMs: null,
    asked: [],
    most: 0,
    http: {
      request: (request) => {
        const url = new URL(request.url)
        const port = ports.get(venueOf(url.host))
        const timeoutMs = world.timeoutMs ?? request.timeoutMs
        const sent = `http://127.0.0.1:${port}${url.pathname}${url.search}`
        return client.request({ ...request, timeoutMs, url: sent })
      },
    },
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
  for (const venue of VENUES) {
    const server = createServer(async (request, response) => {
      under.set(venue, (under.get(venue) ?? 0) + 1)
      world.most = Math.max(world.most, under.get(venue) ?? 0)
      await sleep(1)
      answerAs(world, venue, request, response)
      under.set(venue, (under.get(venue) ?? 0) - 1)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    servers.push(server)
    ports.set(venue, (server.address() as AddressInfo).port) // it listens on TCP
  }
  return world
}

export interface LoadAtOptions {
  readonly assets?: readonly VenueAsset[]
  readonly from?: Date
  readonly to?: Date
  readonly venues?: readonly Venue[]
  readonly isAgain?: boolean
  readonly onProgress?: (progress: LoadProgress) => void
  /** Gets the seconds of each pause. The time passes at once. */
  readonly pauses?: number[]
}

/** Loads candles as the command does at that instant. */
export function loadAt(
  database: Database,
  world: VenueWorld,
  at: Date,
  { assets = [BITCOIN], from, to = at, venues = VENUES, pauses = [], ...options }: LoadAtOptions = {},
): Promise<LoadSummary> {
  let nowMs = at.getTime()
  const timers = {
    nowMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms
    },
  }
  return loadCandles(
    {
      ...{ database, timers, clock: { now: () => new Date(nowMs) }, http: world.http, random: () => 0 },
      signal: new AbortController().signal,
      onProgress: options.onProgress ?? (() => {}),
      onPause: ({ ms }) => pauses.push(ms / 1_000),
    },
    {
      assets,
      windows: windowsOf({ from: from ?? null, to }, { recent: venues, old: venues }, at),
      adapters: VENUES.map((venue) => formOf(venue).adapter),
      isAgain: options.isAgain ?? false,
    },
  )
}

function venueOf(host: string): PlayedVenue {
  const venue = VENUES.find((name) => host.includes(name))
  if (venue === undefined) throw new Error(`no venue at ${host}`)
  return venue
}

function answerAs(
  world: VenueWorld,
  venue: PlayedVenue,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const url = new URL(request.url ?? '/', 'http://venue')
  world.asked.push({ venue, url: url.pathname + url.search })
  const symbol = symbolOf(url)
  const instead = world.answer(venue, symbol)
  if (instead === 'silence') return
  const form = formOf(venue)
  const key = `${venue} ${symbol}`
  const rows = [...(world.rawRows.get(key) ?? []), ...rowsOf(form, world.bars.get(key) ?? [], url)]
  const body =
    instead?.body ?? form.body(rows).replace('"BTC/USD"', `"${symbol}"`).replace('XXBTZUSD', symbol)
  response.writeHead(instead?.status ?? 200, instead?.headers ?? {}).end(body)
}

/** In the path or in the query, wherever the venue wants it. */
function symbolOf(url: URL): string {
  const named = url.searchParams.get('symbol') ?? url.searchParams.get('pair')
  return named ?? /\/(?:products|ohlc)\/([^/]+)/.exec(url.pathname)?.[1] ?? ''
}

function rowsOf(form: VenueForm, bars: readonly FlatBar[], url: URL): readonly string[] {
  const from = instantOf(url, ['startTime', 'start', 'since']) ?? 0
  const to = instantOf(url, ['endTime', 'end']) ?? Number.POSITIVE_INFINITY
  return bars
    .filter(({ ts }) => ts.getTime() >= from && ts.getTime() <= to)
    .map(({ ts, price, volume }) => {
      const prices = { open: price, high: price, low: price, close: price, vwap: price }
      return form.row({
        ms: ts.getTime(),
        ...prices,
        volume,
        quoteVolume: String(Number(price) * Number(volume)),
      })
    })
}

/** Seconds, milliseconds or ISO text. */
function instantOf(url: URL, names: readonly string[]): number | null {
  const text = names.map((name) => url.searchParams.get(name)).find((value) => value !== null)
  if (text === undefined || text === null) return null
  if (text.includes('-')) return Date.parse(text)
  return Number(text) > 1e12 ? Number(text) : Number(text) * 1000
}
