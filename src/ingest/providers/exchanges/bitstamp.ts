import { buildPair } from '../../../core/consensus/venue-symbols.js'
import { PROVIDERS } from '../../../core/providers.js'
import { isJsonObject, type Json, type JsonObject, shown } from '../../bodies/json/json-body.js'
import type { Read } from '../../bodies/read.js'
import { BrokenBody, quoted } from '../../feed.js'
import { type BarCells, parseBars, type Rows, readEpoch, wholeRows } from './minute-bar.js'
import { minuteWindows } from './minute-windows.js'
import type { AnswerContext, VenueAdapter } from './venue-adapter.js'
import { assertVenueStatus, describeError, readVenueAnswer, VenueOut, venueError } from './venue-error.js'

const MAX_ROWS = 1000

/** The member names of errors, which also come with status 200. */
const ERROR_NAMES = ['code', 'errors', 'error', 'reason', 'response_code'] as const

/**
 * Bitstamp: rows are objects of strings, without turnover.
 * https://www.bitstamp.net/api/#tag/Market-info/operation/GetOHLCData
 */
export const bitstamp: VenueAdapter = {
  venue: 'bitstamp',
  provider: PROVIDERS.bitstamp,
  symbolOf: (ticker) => buildPair('bitstamp', ticker),
  request: ({ pair, from, to }) =>
    minuteWindows(from, to, MAX_ROWS).map(({ firstMs, lastMs }) => ({
      url: `https://www.bitstamp.net/api/v2/ohlc/${pair.symbol}/?step=60&limit=${MAX_ROWS}&start=${firstMs / 1000}&end=${lastMs / 1000}`,
      headers: { accept: 'application/json' },
    })),
  parse: (body, context) => {
    // The pair is part of the path, so an unknown pair is a 404 with varying text.
    if (context.status === 404) return { kind: 'not_listed' }
    const rows = readRows(body, context)
    return { kind: 'bars', ...parseBars(rows, { venue: 'bitstamp', context, cellsOf }) }
  },
}

function readRows(body: Uint8Array, { pair, status }: AnswerContext): Rows {
  const answer = readVenueAnswer(body, status)
  if (!isJsonObject(answer.value)) throw new VenueOut(`the body is ${shown(answer.value)}, not an object`)
  if (isError(answer.value)) throw venueError(status, describeError(answer.value))
  assertVenueStatus(status)
  const data = answer.value.get('data')
  if (!isJsonObject(data)) throw new BrokenBody(`data is ${shown(data)}, not an object`)
  const name = data.get('pair')
  if (typeof name === 'string' && name.replace('/', '').toLowerCase() !== pair.symbol) {
    throw new BrokenBody(`the answer is about ${quoted(name)}, not ${pair.symbol}`)
  }
  return wholeRows(answer, data.get('ohlc'), 'ohlc')
}

function isError(body: JsonObject): boolean {
  return ERROR_NAMES.some((name) => body.has(name))
}

function cellsOf(row: Json): Read<BarCells> {
  if (!isJsonObject(row)) return { wrong: `the row is ${shown(row)}, not an object` }
  return {
    value: {
      startMs: readEpoch(row.get('timestamp'), 's'),
      open: row.get('open'),
      high: row.get('high'),
      low: row.get('low'),
      close: row.get('close'),
      baseVolume: row.get('volume'),
      quoteVolume: null,
      vwap: null,
      isFinal: true,
    },
  }
}
