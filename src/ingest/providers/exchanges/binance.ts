import { buildPair } from '../../../core/consensus/venue-symbols.js'
import { PROVIDERS } from '../../../core/providers.js'
import { isJsonObject, type Json, shown } from '../../bodies/json/json-body.js'
import type { Read } from '../../bodies/read.js'
import { type BarCells, parseBars, type Rows, readEpoch, readList, wholeBody } from './minute-bar.js'
import { minuteWindows } from './minute-windows.js'
import type { AnswerContext, ParsedBars, VenueAdapter } from './venue-adapter.js'
import { assertVenueStatus, describeError, readVenueAnswer, venueError } from './venue-error.js'

const MAX_ROWS = 1000
/** Columns of a kline, in answers and in bulk files. */
export const CELLS = 12
const SECONDS = 60

/** -1121 Invalid symbol. */
const UNKNOWN_SYMBOL = '-1121'

/**
 * Binance spot: klines from the public data host. After outages of 2017 and 2018 the bars of some days begin 14.789 s
 * late. https://developers.binance.com/docs/binance-spot-api-docs
 */
export const binance: VenueAdapter = {
  venue: 'binance',
  provider: PROVIDERS.binance,
  symbolOf: (ticker) => buildPair('binance', ticker),
  request: ({ pair, from, to }) =>
    minuteWindows(from, to, MAX_ROWS).map(({ firstMs, lastMs }) => ({
      url: `https://data-api.binance.vision/api/v3/klines?symbol=${pair.symbol}&interval=1m&startTime=${firstMs}&endTime=${lastMs}&limit=${MAX_ROWS}`,
      headers: { accept: 'application/json' },
    })),
  parse: (body, context) => {
    const rows = readKlines(body, context)
    return rows === 'not_listed' ? { kind: rows } : { kind: 'bars', ...parseKlines(rows, context) }
  },
}

export function parseKlines(rows: Rows, context: AnswerContext): ParsedBars {
  return parseBars(rows, { venue: 'binance', context, isShifted: true, cellsOf })
}

function readKlines(body: Uint8Array, { status }: AnswerContext): Rows | 'not_listed' {
  const answer = readVenueAnswer(body, status)
  if (isJsonObject(answer.value)) {
    if (answer.value.get('code') === UNKNOWN_SYMBOL) return 'not_listed'
    throw venueError(status, describeError(answer.value))
  }
  assertVenueStatus(status)
  return wholeBody(answer)
}

/** [open time, open, high, low, close, volume, close time, quote volume, ...] */
function cellsOf(row: Json): Read<BarCells> {
  const list = readList(row, CELLS)
  if ('wrong' in list) return list
  const [time, open, high, low, close, baseVolume, endTime, quoteVolume] = list.value
  const startMs = readTime(time)
  const endMs = readTime(endTime)
  if ('wrong' in startMs) return startMs
  // The end is the last millisecond or microsecond of the bar.
  if ('wrong' in endMs || Math.round((endMs.value - startMs.value) / 1000) !== SECONDS) {
    return { wrong: `from ${shown(time)} to ${shown(endTime)} is not a minute` }
  }
  return {
    value: { startMs, open, high, low, close, baseVolume, quoteVolume, vwap: null, isFinal: true },
  }
}

/** Sixteen digits are microseconds. */
function readTime(cell: Json | undefined): Read<number> {
  return readEpoch(cell, typeof cell === 'string' && cell.length === 16 ? 'us' : 'ms')
}
