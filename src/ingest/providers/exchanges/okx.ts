import { buildPair } from '../../../core/consensus/venue-symbols.js'
import { PROVIDERS } from '../../../core/providers.js'
import { MINUTE_MS } from '../../../core/time.js'
import { isJsonObject, type Json, shown } from '../../bodies/json/json-body.js'
import type { Read } from '../../bodies/read.js'
import { type BarCells, parseBars, type Rows, readEpoch, readList, wholeRows } from './minute-bar.js'
import { minuteWindows } from './minute-windows.js'
import type { AnswerContext, VenueAdapter } from './venue-adapter.js'
import { assertVenueStatus, describeError, readVenueAnswer, VenueOut, venueError } from './venue-error.js'

/** The newest 1,440 bars come in larger pages, older ones from the history endpoint. */
const RECENT = { path: 'candles', rows: 300, reachMs: 1440 * MINUTE_MS }
const HISTORY = { path: 'history-candles', rows: 100 }
const CELLS = 9

/** 51001 Instrument ID does not exist. */
const UNKNOWN_INSTRUMENT = '51001'

/** 50001 Service temporarily unavailable, 50011 Rate limit reached, 50013 Systems are busy. */
const OUT: ReadonlySet<unknown> = new Set(['50001', '50011', '50013'])

/**
 * OKX spot: errors have status 200 and a code, the newest row is first, and a flag says whether a bar is final.
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-candlesticks
 */
export const okx: VenueAdapter = {
  venue: 'okx',
  provider: PROVIDERS.okx,
  symbolOf: (ticker) => buildPair('okx', ticker),
  request: ({ pair, from, to, now }) => {
    const { path, rows } = from.getTime() >= now.getTime() - RECENT.reachMs ? RECENT : HISTORY
    // `before` and `after` are excluded from the answer; `after` is the later one.
    return minuteWindows(from, to, rows).map(({ firstMs, lastMs }) => ({
      url: `https://www.okx.com/api/v5/market/${path}?instId=${pair.symbol}&bar=1m&before=${firstMs - 1}&after=${lastMs + 1}&limit=${rows}`,
      headers: { accept: 'application/json' },
    }))
  },
  parse: (body, context) => {
    const rows = readRows(body, context)
    if (rows === 'not_listed') return { kind: rows }
    return { kind: 'bars', ...parseBars(rows, { venue: 'okx', context, cellsOf }) }
  },
}

function readRows(body: Uint8Array, { status }: AnswerContext): Rows | 'not_listed' {
  const answer = readVenueAnswer(body, status)
  if (!isJsonObject(answer.value)) throw new VenueOut(`the body is ${shown(answer.value)}, not an object`)
  const code = answer.value.get('code')
  if (code === UNKNOWN_INSTRUMENT) return 'not_listed'
  if (code !== '0') throw venueError(status, describeError(answer.value), OUT.has(code))
  assertVenueStatus(status)
  return wholeRows(answer, answer.value.get('data'), 'data')
}

/**
 * [time, open, high, low, close, volume, volume in the asset, turnover, confirm]; on spot both volumes are equal.
 */
function cellsOf(row: Json): Read<BarCells> {
  const list = readList(row, CELLS)
  if ('wrong' in list) return list
  const [time, open, high, low, close, baseVolume, , quoteVolume, confirm] = list.value
  if (confirm !== '0' && confirm !== '1') return { wrong: `confirm is ${shown(confirm)}, neither 0 nor 1` }
  const startMs = readEpoch(time, 'ms')
  const isFinal = confirm === '1'
  return { value: { startMs, open, high, low, close, baseVolume, quoteVolume, vwap: null, isFinal } }
}
