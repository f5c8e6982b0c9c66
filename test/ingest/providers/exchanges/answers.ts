import type { VenuePair } from '../../../../src/core/consensus/venue-symbols.js'
import type { VenueBar } from '../../../../src/core/consensus/venue-vwap.js'
import { binance } from '../../../../src/ingest/providers/exchanges/binance.js'
import { bitstamp } from '../../../../src/ingest/providers/exchanges/bitstamp.js'
import { coinbase } from '../../../../src/ingest/providers/exchanges/coinbase.js'
import { kraken } from '../../../../src/ingest/providers/exchanges/kraken.js'
import { okx } from '../../../../src/ingest/providers/exchanges/okx.js'
import type { VenueAdapter } from '../../../../src/ingest/providers/exchanges/venue-adapter.js'

export const MINUTE = 60_000
export const START = Date.UTC(2026, 8, 26, 18)
export const NOW = new Date(START + 600 * MINUTE + 30_000)

/** The cells of a row as JSON text; those that are left out are those of a good bar. */
export interface RawBar {
  readonly ms: number
  readonly time?: string
  readonly open?: string
  readonly high?: string
  readonly low?: string
  readonly close?: string
  readonly volume?: string
  /** Turnover or VWAP, whichever the venue gives. */
  readonly quoteVolume?: string
  readonly vwap?: string
}

const GOOD = {
  open: '100',
  high: '110',
  low: '90',
  close: '105',
  volume: '2',
  quoteVolume: '204',
  vwap: '102',
}

export interface VenueForm {
  readonly adapter: VenueAdapter
  readonly pair: VenuePair
  row(bar: RawBar): string
  /** Rows that `body` adds: where the last one is never final, one more. */
  readonly tail: readonly string[]
  /** A whole answer with these rows. */
  body(rows: readonly string[]): string
}

const seconds = (bar: RawBar) => bar.time ?? String(bar.ms / 1000)
const milliseconds = (bar: RawBar) => bar.time ?? String(bar.ms)
const list = (...cells: readonly string[]) => `[${cells.join(',')}]`

function krakenRow(raw: RawBar): string {
  const bar = { ...GOOD, ...raw }
  return list(seconds(raw), bar.open, bar.high, bar.low, bar.close, bar.vwap, bar.volume, '3')
}

const KRAKEN_TAIL = [krakenRow({ ms: START + 600 * MINUTE })]

export const FORMS: readonly VenueForm[] = [
  {
    adapter: binance,
    pair: { symbol: 'BTCUSDT', quoteCurrency: 'USDT' },
    row: (raw) => {
      const bar = { ...GOOD, ...raw }
      const end = String(raw.ms + MINUTE - 1)
      const { open, high, low, close, volume, quoteVolume } = bar
      return list(
        milliseconds(raw),
        open,
        high,
        low,
        close,
        volume,
        end,
        quoteVolume,
        '3',
        '"1"',
        '"100"',
        '"0"',
      )
    },
    tail: [],
    body: (rows) => list(...rows),
  },
  {
    adapter: bitstamp,
    pair: { symbol: 'btcusd', quoteCurrency: 'USD' },
    row: (raw) => {
      const { open, high, low, close, volume } = { ...GOOD, ...raw }
      return `{"timestamp":${seconds(raw)},"open":${open},"high":${high},"low":${low},"close":${close},"volume":${volume}}`
    },
    tail: [],
    body: (rows) => `{"data":{"pair":"BTC/USD","ohlc":[${rows.join()}]}}`,
  },
  {
    adapter: coinbase,
    pair: { symbol: 'BTC-USD', quoteCurrency: 'USD' },
    row: (raw) => {
      const { open, high, low, close, volume } = { ...GOOD, ...raw }
      return list(seconds(raw), low, high, open, close, volume)
    },
    tail: [],
    body: (rows) => list(...rows),
  },
  {
    adapter: kraken,
    pair: { symbol: 'XBTUSD', quoteCurrency: 'USD' },
    row: krakenRow,
    tail: KRAKEN_TAIL,
    body: (rows) => `{"error":[],"result":{"XXBTZUSD":[${[...rows, ...KRAKEN_TAIL].join()}],"last":1}}`,
  },
  {
    adapter: okx,
    pair: { symbol: 'BTC-USDT', quoteCurrency: 'USDT' },
    row: (raw) => {
      const { open, high, low, close, volume, quoteVolume } = { ...GOOD, ...raw }
      return list(milliseconds(raw), open, high, low, close, volume, volume, quoteVolume, '"1"')
    },
    tail: [],
    body: (rows) => `{"code":"0","msg":"","data":[${rows.join()}]}`,
  },
]

export interface Outcome {
  /** Minutes after START and the six figures, e.g. `0 100 110 90 105 2 204 -`. */
  readonly bars: readonly string[]
  readonly rejected: readonly string[]
}

export function read(form: VenueForm, body: string | Uint8Array, status = 200): Outcome | 'not_listed' {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const answer = form.adapter.parse(bytes, { pair: form.pair, status, url: '', now: NOW })
  if (answer.kind === 'not_listed') return answer.kind
  return {
    bars: answer.items.flatMap((item) => (item.kind === 'row' ? [figures(item.row)] : [])),
    rejected: answer.items.flatMap((item) =>
      item.kind === 'rejected' ? [`${item.position}: ${item.reason}`] : [],
    ),
  }
}

function figures(bar: VenueBar): string {
  const cells = [bar.open, bar.high, bar.low, bar.close, bar.baseVolume, bar.quoteVolume, bar.vwap]
  const minutes = (bar.ts.getTime() - START) / MINUTE
  return [minutes, ...cells.map((cell) => cell?.toFixed() ?? '-')].join(' ')
}

export function formOf(venue: string): VenueForm {
  const form = FORMS.find(({ adapter }) => adapter.venue === venue)
  if (form === undefined) throw new Error(`no form of ${venue}`)
  return form
}
