import { decimal } from '../../../core/decimal.js'
import { groupBy } from '../../../core/group-by.js'
import { explainMic, explainTicker, parseMic, parseTicker } from '../../../core/identifiers.js'
import { parseIsoDate, toIsoDate } from '../../../core/time.js'
import type { DailyPrice, PricedListing } from '../../../domains/filings/model.js'
import { type CsvRecord, csvRecordStream } from '../../bodies/csv/csv.js'
import { CsvHeader } from '../../bodies/csv/csv-header.js'
import { DuplicateRows } from '../../bodies/duplicate-rows.js'
import { onceOrNever } from '../../bodies/once-or-never.js'
import { type Read, readAll, readOn } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import { BrokenBody, type ParseContext, type Parsed, quoted, type StreamFeed } from '../../feed.js'
import { operator } from './provider.js'

const COLUMNS = ['ticker', 'mic', 'date', 'close', 'currency'] as const
type Column = (typeof COLUMNS)[number]

/** The columns of the file and their meaning, for the help text. */
export const PRICES_FILE_HELP = [
  'header: ticker,mic,date,close,currency; close is the price of one share on that day as traded, not adjusted for',
  'later splits; an empty mic means the only listing of the ticker; rows in any order',
  'a price that differs from the stored one is a revision',
] as const

/** The range of the column: 12 digits before the decimal point and 8 after it. */
const MAX_CLOSE = 1e12
const MAX_DECIMALS = 8

/** The operator's table of daily prices, of any length. */
export function pricesFile(listings: readonly PricedListing[]): StreamFeed<DailyPrice> {
  return {
    id: 'prices',
    provider: operator,
    dataset: 'prices',
    description: 'Daily closing prices of stocks, from a CSV file',
    cadence: 'when you give it a file',
    fileNames: [],
    request: () => null,
    parseStream: (body, context) => parsePrices(body, context, new ListingsByTicker(listings)),
  }
}

async function* parsePrices(
  chunks: AsyncIterable<Uint8Array>,
  { now, onAbsent }: ParseContext,
  listings: ListingsByTicker,
): AsyncGenerator<Parsed<DailyPrice>> {
  const seen = new DuplicateRows()
  let header: CsvHeader<Column> | null = null
  for await (const record of csvRecordStream(chunks)) {
    if (header === null) {
      header = headerOf(record)
      continue
    }
    const read = readRow(record, header, listings, now)
    const position = `line ${record.line}`
    if ('wrong' in read) yield { kind: 'rejected', position, reason: read.wrong }
    else
      yield* onceOrNever(seen, read.value, { position, name: read.value.date, keyOf: priceTextOf, onAbsent })
  }
}

function headerOf({ cells }: CsvRecord): CsvHeader<Column> {
  const names = cells.map((cell) => cell.toLowerCase())
  const unknown = names.find((name) => !COLUMNS.some((column) => column === name))
  if (unknown !== undefined)
    throw new BrokenBody(
      `the header has the unknown column ${quoted(unknown)}; known are ${COLUMNS.join(', ')}`,
    )
  if (new Set(names).size < names.length) throw new BrokenBody('the header has a column twice')
  const header = new CsvHeader<Column>(names)
  const missing = header.missing(COLUMNS)
  if (missing !== null) throw new BrokenBody(missing)
  return header
}

function priceTextOf({ instrumentId, date }: DailyPrice): string {
  return `${instrumentId} ${date}`
}

function readRow(
  record: CsvRecord,
  header: CsvHeader<Column>,
  listings: ListingsByTicker,
  now: Date,
): Read<DailyPrice> {
  const misfit = header.explain(record)
  if (misfit !== null) return { wrong: `the line ${misfit}` }
  const listing = listings.find(header.cell(record, 'ticker'), header.cell(record, 'mic'))
  return readAll({
    instrumentId: readOn(listing, ({ instrumentId }) => ({ value: instrumentId })),
    date: readDate(header.cell(record, 'date'), now),
    close: readClose(header.cell(record, 'close')),
    currency: readCurrency(header.cell(record, 'currency')),
  })
}

function readDate(cell: string, now: Date): Read<DailyPrice['date']> {
  const date = parseIsoDate(cell)
  if (date === null) return { wrong: `date ${quoted(cell)} must be a day, YYYY-MM-DD` }
  return date > toIsoDate(now) ? { wrong: `date ${date} is in the future` } : { value: date }
}

function readCurrency(cell: string): Read<string> {
  return /^[A-Z]{3}$/.test(cell)
    ? { value: cell }
    : { wrong: `currency ${quoted(cell)} must be a code of three capital letters, such as USD` }
}

function readClose(cell: string): Read<DailyPrice['close']> {
  const read = readDecimal(cell)
  if ('wrong' in read) return { wrong: `close ${quoted(cell)} must be a decimal above zero` }
  const close = decimal(read.value)
  if (close.gt(0) && close.lt(MAX_CLOSE) && close.decimalPlaces() <= MAX_DECIMALS) return read
  return {
    wrong: `close ${quoted(cell)} must be above zero and below 10^12, with at most ${MAX_DECIMALS} decimals`,
  }
}

/** Finds listings by ticker and MIC. */
class ListingsByTicker {
  readonly #byTicker: ReadonlyMap<string, readonly PricedListing[]>

  constructor(listings: readonly PricedListing[]) {
    this.#byTicker = groupBy(listings, ({ ticker }) => ticker)
  }

  find(tickerText: string, micText: string): Read<PricedListing> {
    const ticker = parseTicker(tickerText)
    const mic = micText === '' ? null : parseMic(micText)
    if (ticker === null) return { wrong: `ticker ${quoted(tickerText)} ${explainTicker(tickerText)}` }
    if (micText !== '' && mic === null) return { wrong: `mic ${quoted(micText)} ${explainMic(micText)}` }
    const all = this.#byTicker.get(ticker) ?? []
    const [found, ...others] = mic === null ? all : all.filter((listing) => listing.mic === mic)
    if (found === undefined)
      return { wrong: `no stock has the ticker ${ticker}${mic === null ? '' : ` on ${mic}`}` }
    if (others.length > 0) return { wrong: `${ticker} is listed on several markets; name one in mic` }
    return { value: found }
  }
}
