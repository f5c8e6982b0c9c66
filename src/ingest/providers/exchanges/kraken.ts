import { buildPair, type VenuePair } from '../../../core/consensus/venue-symbols.js'
import { PROVIDERS } from '../../../core/providers.js'
import { MINUTE_MS } from '../../../core/time.js'
import { isJsonObject, isList, type Json, type JsonObject, shown } from '../../bodies/json/json-body.js'
import { type Read, readOn } from '../../bodies/read.js'
import { BrokenBody, quoted } from '../../feed.js'
import { type BarCells, parseBars, type Rows, readEpoch, readList, wholeRows } from './minute-bar.js'
import type { AnswerContext, VenueAdapter } from './venue-adapter.js'
import { assertVenueStatus, readVenueAnswer, VenueOut, venueError } from './venue-error.js'

/** Any request returns at most the newest 720 bars; older ones are never available. */
const REACH_MS = 720 * MINUTE_MS
const CELLS = 8

const UNKNOWN_PAIR: ReadonlySet<Json> = new Set(['EQuery:Unknown asset pair', 'EQuery:Invalid asset pair'])

/** Too many requests, a ban that follows, maintenance: https://docs.kraken.com/api/docs/guides/spot-errors */
const OUT = /^E(?:API:Rate limit exceeded|General:Temporary lockout|General:Too many requests|Service:)/

/**
 * Kraken spot: errors have status 200, the last row is never final, and answers use older names of assets (XXBTZUSD
 * for XBTUSD). It states a VWAP. https://docs.kraken.com/api/docs/rest-api/get-ohlc-data
 */
export const kraken: VenueAdapter = {
  venue: 'kraken',
  provider: PROVIDERS.kraken,
  reachMs: REACH_MS,
  symbolOf: (ticker) => buildPair('kraken', ticker),
  request: ({ pair, from, to, now }) => {
    const firstMs = Math.max(from.getTime(), now.getTime() - REACH_MS)
    if (to.getTime() <= firstMs) return []
    // The documentation does not say whether the answer has the bar at `since`; an extra bar does no harm.
    const since = Math.floor((firstMs - MINUTE_MS) / 1000)
    const url = `https://api.kraken.com/0/public/OHLC?pair=${pair.symbol}&interval=1&since=${since}`
    return [{ url, headers: { accept: 'application/json' } }]
  },
  parse: (body, context) => {
    const rows = readRows(body, context)
    if (rows === 'not_listed') return { kind: rows }
    const last = rows.rows.at(-1)
    const format = { venue: 'kraken', context, cellsOf: (row: Json) => cellsOf(row, row !== last) } as const
    return { kind: 'bars', ...parseBars(rows, format) }
  },
}

function readRows(body: Uint8Array, { pair, status }: AnswerContext): Rows | 'not_listed' {
  const answer = readVenueAnswer(body, status)
  if (!isJsonObject(answer.value)) throw new VenueOut(`the body is ${shown(answer.value)}, not an object`)
  const errors = errorsOf(answer.value)
  if (errors.some((error) => UNKNOWN_PAIR.has(error))) return 'not_listed'
  if (errors.length > 0) {
    const isOut = errors.some((error) => typeof error === 'string' && OUT.test(error))
    throw venueError(status, errors.map(shown).join(', '), isOut)
  }
  assertVenueStatus(status)
  const result = answer.value.get('result')
  if (!isJsonObject(result)) throw new BrokenBody(`result is ${shown(result)}, not an object`)
  const name = [...result.keys()].find((key) => key !== 'last')
  if (name === undefined || !isNameOf(name, pair)) {
    throw new BrokenBody(
      `the answer is about ${name === undefined ? 'nothing' : quoted(name)}, not ${pair.symbol}`,
    )
  }
  return wholeRows(answer, result.get(name), name)
}

/** The first letter is the severity: E is an error, W a warning beside a good answer. */
function errorsOf(body: JsonObject): readonly Json[] {
  const errors = body.get('error') ?? []
  if (!isList(errors)) return [errors]
  return errors.filter((error) => typeof error !== 'string' || !error.startsWith('W'))
}

/** In answers old assets have a letter before the name: X before a coin, Z before a currency. */
function isNameOf(name: string, { symbol, quoteCurrency }: VenuePair): boolean {
  const base = symbol.slice(0, -quoteCurrency.length)
  return [symbol, `X${base}Z${quoteCurrency}`, `${base}Z${quoteCurrency}`].includes(name)
}

/** [time, open, high, low, close, vwap, volume, count] */
function cellsOf(row: Json, isFinal: boolean): Read<BarCells> {
  return readOn(readList(row, CELLS), ([time, open, high, low, close, vwap, baseVolume]) => {
    const startMs = readEpoch(time, 's')
    return { value: { startMs, open, high, low, close, baseVolume, quoteVolume: null, vwap, isFinal } }
  })
}
