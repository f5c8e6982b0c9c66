import { instantIn } from '../../../core/calendars/zoned-time.js'
import { groupBy } from '../../../core/group-by.js'
import { PROVIDERS } from '../../../core/providers.js'
import { type IsoDate, parseIsoDate } from '../../../core/time.js'
import type { DailyPrice } from '../../../domains/prices/model.js'
import { DuplicateRows } from '../../bodies/duplicate-rows.js'
import { isJsonObject, isList, type Json, shown, textCell } from '../../bodies/json/json-body.js'
import { onceOrNever } from '../../bodies/once-or-never.js'
import {
  readConsistentPrice,
  readPriceDay,
  readSharePrice,
  readShareVolume,
} from '../../bodies/price-cells.js'
import { type Read, readAll, readOn } from '../../bodies/read.js'
import { type Page, type PagedFeed, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { ALPACA_KEY, ALPACA_REQUEST, toAlpacaSymbol } from './alpaca.js'
import { nextAlpacaPage, readAlpacaPage } from './answer.js'

const ADDRESS = 'https://data.alpaca.markets/v2/stocks/bars'

export const ALPACA_BARS_FEED = 'alpaca-bars'

/** Bars of a page, over all symbols; the most that Alpaca allows. */
const PAGE_BARS = 10_000

const TIME_ZONE = 'America/New_York'

/** Listings whose days are requested together. */
export interface AlpacaBarsRequest {
  readonly listings: readonly { readonly instrumentId: number; readonly ticker: string }[]
  /** First and last requested day. */
  readonly from: IsoDate
  readonly to: IsoDate
  /** The end of the requested time. The free plan refuses the last 15 minutes of the consolidated tape. */
  readonly end: Date
}

/** Days of several listings, as traded on all exchanges of the United States (`feed=sip`). One exchange alone has other prices. */
export function alpacaBars(asked: AlpacaBarsRequest): PagedFeed<DailyPrice> {
  const symbols = asked.listings.map(({ ticker }) => toAlpacaSymbol(ticker)).join(',')
  const url = new URL(ADDRESS)
  const { from, end } = asked
  const query = { symbols, timeframe: '1Day', start: `${from}T00:00:00Z`, end: end.toISOString() }
  const more = { limit: String(PAGE_BARS), adjustment: 'raw', feed: 'sip', sort: 'asc' }
  url.search = new URLSearchParams({ ...query, ...more }).toString()
  return {
    id: ALPACA_BARS_FEED,
    provider: PROVIDERS.alpaca,
    dataset: 'prices',
    description: 'Daily prices of all stocks and ETFs of the United States',
    cadence: 'after each session in New York; needs ALPACA_API_KEY_ID',
    keyVariable: ALPACA_KEY,
    request: () => ({ ...ALPACA_REQUEST, url: ADDRESS }),
    requests: () => [{ ...ALPACA_REQUEST, url: url.href }],
    next: (page) => nextAlpacaPage(page, 'bars'),
    parsePages: (pages, context) => parseBars(pages, asked, context),
  }
}

/** A symbol without a bar on any page is absent: it has not traded, or Alpaca does not know it. */
function* parseBars(
  pages: readonly Page[],
  asked: AlpacaBarsRequest,
  context: ParseContext,
): Generator<Parsed<DailyPrice>> {
  const listings = groupBy(asked.listings, ({ ticker }) => toAlpacaSymbol(ticker))
  const found = new Set<string>()
  const seen = new DuplicateRows()
  for (const { body } of pages) {
    for (const [symbol, bars] of readAlpacaPage(body, 'bars').found) {
      found.add(symbol)
      const [listing, other] = listings.get(symbol) ?? []
      if (!isList(bars)) {
        yield {
          kind: 'rejected',
          position: quoted(symbol),
          reason: `it has ${shown(bars)}, not a list of days`,
        }
        continue
      }
      if (listing === undefined || other !== undefined) {
        const reason = listing === undefined ? 'was not requested' : 'is the symbol of several listings'
        yield { kind: 'rejected', position: quoted(symbol), reason }
        context.onAbsent(Math.max(0, bars.length - 1))
        continue
      }
      for (const bar of bars) {
        const read = readBar(bar, listing.instrumentId, asked, context)
        const position = `${symbol}, ${isJsonObject(bar) ? shown(bar.get('t')) : shown(bar)}`
        if ('wrong' in read) yield { kind: 'rejected', position, reason: read.wrong }
        else {
          const { onAbsent } = context
          yield* onceOrNever(seen, read.value, { position, name: read.value.date, keyOf, onAbsent })
        }
      }
    }
  }
  for (const symbol of listings.keys()) if (!found.has(symbol)) context.onAbsent()
}

function keyOf({ instrumentId, date }: DailyPrice): string {
  return `${instrumentId} ${date}`
}

function readBar(
  bar: Json,
  instrumentId: number,
  asked: AlpacaBarsRequest,
  { now }: ParseContext,
): Read<DailyPrice> {
  if (!isJsonObject(bar)) return { wrong: `it is ${shown(bar)}, not an object` }
  const cell = (name: string) => textCell(bar, name)
  const read = readAll({
    date: readOn(readNewYorkDay(cell('t')), (date) =>
      date < asked.from || date > asked.to
        ? { wrong: `date ${date} was not requested` }
        : readPriceDay(date, now),
    ),
    open: readSharePrice('open', cell('o')),
    high: readSharePrice('high', cell('h')),
    low: readSharePrice('low', cell('l')),
    close: readSharePrice('close', cell('c')),
    volume: readShareVolume('volume', cell('v')),
  })
  return readOn(read, (stated) =>
    readConsistentPrice({ instrumentId, source: PROVIDERS.alpaca.id, currency: 'USD', ...stated }),
  )
}

/** The time of a daily bar is midnight in New York, in UTC. */
function readNewYorkDay(cell: string): Read<IsoDate> {
  const date = parseIsoDate(cell.slice(0, 10))
  const midnight = date === null ? null : instantIn(TIME_ZONE, date)('00:00')
  return date !== null && midnight?.getTime() === Date.parse(cell)
    ? { value: date }
    : { wrong: `t ${quoted(cell)} is not midnight in New York` }
}
