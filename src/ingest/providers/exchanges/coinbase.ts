import { buildPair } from '../../../core/consensus/venue-symbols.js'
import { PROVIDERS } from '../../../core/providers.js'
import { isJsonObject, type Json } from '../../bodies/json/json-body.js'
import { type Read, readOn } from '../../bodies/read.js'
import { type BarCells, parseBars, readEpoch, readList, wholeBody } from './minute-bar.js'
import { minuteWindows } from './minute-windows.js'
import type { VenueAdapter } from './venue-adapter.js'
import { assertVenueStatus, describeError, readVenueAnswer, venueError } from './venue-error.js'

/** A longer span is refused as a whole. */
const MAX_ROWS = 300
const CELLS = 6

/**
 * Coinbase Exchange: newest row first, numbers, no rows for minutes without a trade, no turnover.
 * https://docs.cdp.coinbase.com/exchange/reference/exchangerestapi_getproductcandles
 */
export const coinbase: VenueAdapter = {
  venue: 'coinbase',
  provider: PROVIDERS.coinbase,
  symbolOf: (ticker) => buildPair('coinbase', ticker),
  request: ({ pair, from, to }) =>
    minuteWindows(from, to, MAX_ROWS).map(({ firstMs, lastMs }) => ({
      url: `https://api.exchange.coinbase.com/products/${pair.symbol}/candles?granularity=60&start=${isoOf(firstMs)}&end=${isoOf(lastMs)}`,
      headers: { accept: 'application/json' },
    })),
  parse: (body, context) => {
    const answer = readVenueAnswer(body, context.status)
    if (isJsonObject(answer.value)) {
      if (answer.value.get('message') === 'NotFound') return { kind: 'not_listed' }
      throw venueError(context.status, describeError(answer.value))
    }
    assertVenueStatus(context.status)
    const rows = wholeBody(answer)
    return { kind: 'bars', ...parseBars(rows, { venue: 'coinbase', context, cellsOf }) }
  },
}

/** [time, low, high, open, close, volume]: low comes first. */
function cellsOf(row: Json): Read<BarCells> {
  return readOn(readList(row, CELLS), ([time, low, high, open, close, baseVolume]) => {
    const startMs = readEpoch(time, 's')
    const prices = { open, high, low, close }
    return { value: { startMs, ...prices, baseVolume, quoteVolume: null, vwap: null, isFinal: true } }
  })
}

function isoOf(epochMs: number): string {
  return new Date(epochMs).toISOString()
}
