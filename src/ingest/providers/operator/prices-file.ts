import type { DecimalText } from '../../../core/decimal.js'
import { groupBy } from '../../../core/group-by.js'
import { explainMic, explainTicker, parseMic, parseTicker } from '../../../core/identifiers.js'
import { listingsOnMarket } from '../../../domains/instruments/listed-symbols-model.js'
import type { DailyPrice, PricedListing } from '../../../domains/prices/model.js'
import { type CsvRecord, csvRecordStream } from '../../bodies/csv/csv.js'
import { CsvHeader } from '../../bodies/csv/csv-header.js'
import { DuplicateRows } from '../../bodies/duplicate-rows.js'
import { onceOrNever } from '../../bodies/once-or-never.js'
import {
  readConsistentPrice,
  readPriceDay,
  readSharePrice,
  readShareVolume,
} from '../../bodies/price-cells.js'
import { type Read, readAll, readOn } from '../../bodies/read.js'
import { BrokenBody, type ParseContext, type Parsed, quoted, type StreamFeed } from '../../feed.js'
import { operator } from '../providers.js'

const REQUIRED_COLUMNS = ['ticker', 'mic', 'date', 'close', 'currency'] as const
const COLUMNS = [...REQUIRED_COLUMNS, 'open', 'high', 'low', 'volume'] as const
type Column = (typeof COLUMNS)[number]

/** The columns of the file and their meaning, for the help text. */
export const PRICES_FILE_HELP = [
  'header: ticker,mic,date,close,currency and optionally open,high,low,volume; prices of one share on that day as traded,',
  'not adjusted for later splits; volume in shares; an empty mic means the only listing of the ticker; rows in any order',
  'a price that differs from the stored one is a revision; an empty cell of open, high, low or volume keeps the stored',
  'value if close and currency are those stored, and otherwise means that the value is unknown',
] as const

/** The operator's table of daily prices, of any length. */
export function pricesFile(listings: readonly PricedListing[]): StreamFeed<DailyPrice> {
  return {
    id: 'prices',
    provider: operator,
    dataset: 'prices',
    description: 'Daily prices of stocks and ETFs, from a CSV file',
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
      yield* onceOrNever(seen, read.value, { position, name: read.value.date, keyOf: priceKeyText, onAbsent })
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
  const missing = header.missing(REQUIRED_COLUMNS)
  if (missing !== null) throw new BrokenBody(missing)
  return header
}

function priceKeyText({ instrumentId, date }: DailyPrice): string {
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
  const optional = (name: Column, read: (name: string, cell: string) => Read<DecimalText>) => {
    const cell = header.cell(record, name)
    return cell === '' ? { value: null } : read(name, cell)
  }
  const cells = readAll({
    instrumentId: readOn(listing, ({ instrumentId }) => ({ value: instrumentId })),
    date: readPriceDay(header.cell(record, 'date'), now),
    open: optional('open', readSharePrice),
    high: optional('high', readSharePrice),
    low: optional('low', readSharePrice),
    close: readSharePrice('close', header.cell(record, 'close')),
    volume: optional('volume', readShareVolume),
    currency: readCurrency(header.cell(record, 'currency')),
  })
  return readOn(cells, readConsistentPrice)
}

function readCurrency(cell: string): Read<string> {
  return /^[A-Z]{3}$/.test(cell)
    ? { value: cell }
    : { wrong: `currency ${quoted(cell)} must be a code of three capital letters, such as USD` }
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
    const [found, ...others] = mic === null ? all : listingsOnMarket(all, mic)
    if (found === undefined)
      return { wrong: `no stock has the ticker ${ticker}${mic === null ? '' : ` on ${mic}`}` }
    if (others.length > 0) return { wrong: `${ticker} is listed on several markets; name one in mic` }
    return { value: found }
  }
}
