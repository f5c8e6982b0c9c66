import { buildPair } from '../../../core/consensus/venue-symbols.js'
import { BrokenCsv, type CsvRecord, csvRecords } from '../../bodies/csv/csv.js'
import { isJsonObject, type Json, shown } from '../../bodies/json/json-body.js'
import type { Read } from '../../bodies/read.js'
import { BrokenBody } from '../../feed.js'
import { binanceProvider } from '../providers.js'
import { type BarCells, parseBars, type Rows, readEpoch, readList, wholeBody } from './minute-bar.js'
import { minuteWindows } from './minute-windows.js'
import type { AnswerContext, VenueAdapter } from './venue-adapter.js'
import { assertVenueStatus, describeError, readVenueAnswer, venueError } from './venue-error.js'

const MAX_ROWS = 1000
const CELLS = 12
const SECONDS = 60

/** -1121 Invalid symbol. */
const UNKNOWN_SYMBOL = '-1121'

/**
 * Binance spot: klines from the public data host, or a bulk file with the same twelve columns as CSV (unzipped).
 * Bulk files have microseconds since 2025. After outages of 2017 and 2018 the bars of some days begin 14.789 s
 * late. https://developers.binance.com/docs/binance-spot-api-docs
 */
export const binance: VenueAdapter = {
  venue: 'binance',
  provider: binanceProvider,
  symbolOf: (ticker) => buildPair('binance', ticker),
  request: ({ pair, from, to }) =>
    minuteWindows(from, to, MAX_ROWS).map(({ firstMs, lastMs }) => ({
      url: `https://data-api.binance.vision/api/v3/klines?symbol=${pair.symbol}&interval=1m&startTime=${firstMs}&endTime=${lastMs}&limit=${MAX_ROWS}`,
      headers: { accept: 'application/json' },
    })),
  parse: (body, context) => {
    const rows = isBulk(body) ? readBulk(body, context) : readKlines(body, context)
    if (rows === 'not_listed') return { kind: rows }
    return { kind: 'bars', ...parseBars(rows, { venue: 'binance', context, isShifted: true, cellsOf }) }
  },
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

/** A row of a bulk file begins with its time, a JSON answer with a bracket. */
function isBulk(body: Uint8Array): boolean {
  const first = body[0] ?? 0
  return first >= 0x30 && first <= 0x39
}

function readBulk(body: Uint8Array, { status }: AnswerContext): Rows {
  assertVenueStatus(status)
  const rows = readCsv(body).map(({ cells }) => cells)
  if (rows.every((cells) => cells.length < CELLS))
    throw new BrokenBody('the body is neither JSON nor a bulk file')
  return { rows, isCut: false }
}

function readCsv(body: Uint8Array): readonly CsvRecord[] {
  try {
    return [...csvRecords(body)]
  } catch (cause) {
    throw cause instanceof BrokenCsv ? new BrokenBody(cause.message, { cause }) : cause
  }
}
