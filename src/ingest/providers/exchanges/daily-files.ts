import type { QuoteCurrency } from '../../../core/consensus/venue-vwap.js'
import type { DatasetName } from '../../../core/datasets.js'
import { Decimal } from '../../../core/decimal.js'
import { parseTicker, type Ticker } from '../../../core/identifiers.js'
import { type IsoDate, parseIsoDate, toIsoDate } from '../../../core/time.js'
import type { DailyVenueWindow, Venue } from '../../../domains/market/model.js'
import type { CsvRecord } from '../../bodies/csv/csv.js'
import { type Read, readAll, readOn } from '../../bodies/read.js'
import { BrokenBody, type Feed, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { cryptoDataDownload } from '../providers.js'
import { type Prices, readPrices, readVolume, typicalPrice } from './cells.js'
import { readCsv } from './csv-body.js'

export type DailyFileVenue = Extract<Venue, 'bitfinex' | 'bitstamp' | 'coinbase' | 'kraken'>

/** The header is the first line, or follows a line with the URL of the site. */
const HEADER_WITHIN = 5
const REQUIRED = ['date', 'symbol', 'open', 'high', 'low', 'close'] as const

/** Older files have two decimals. */
const ROUNDING_SLACK = new Decimal('0.01')

/**
 * Daily bars of one venue from a file of CryptoDataDownload; only the name of the file states the venue. Without
 * VWAP and minutes, the typical price of the day replaces the VWAP; its median error is 21 basis points. Meant for
 * history before one-minute bars, not for current prices.
 */
export function dailyFileFeed(venue: DailyFileVenue, dataset: DatasetName): Feed<DailyVenueWindow> {
  return {
    id: `daily-${venue}`,
    provider: cryptoDataDownload,
    dataset,
    description: `Daily bars of ${venue} from a file; typical prices in place of VWAPs`,
    cadence: 'once, by hand',
    fileNames: [`${venue.charAt(0).toUpperCase()}${venue.slice(1)}_BTCUSD_d.csv`],
    parse: (body, context) => parseDailyFile(body, venue, context),
  }
}

interface SelectedFile {
  readonly window: DailyVenueWindow
  readonly line: number
  /** Whether another line contradicts the day. */
  isContradicted: boolean
}

function* parseDailyFile(
  body: Uint8Array,
  venue: DailyFileVenue,
  context: ParseContext,
): Generator<Parsed<DailyVenueWindow>> {
  const { columns, records } = readTable(readCsv(body, (fraction) => context.onRead(fraction)))
  const taken = new Map<string, SelectedFile>()
  for (const record of records) {
    const cell = (name: string) => record.cells[columns.get(name) ?? -1]
    const read = record.cells.length === columns.size ? readWindow(cell, venue) : wrongWidth(record, columns)
    const wrong =
      'wrong' in read
        ? read.wrong
        : take(taken, { window: read.value, line: record.line, isContradicted: false }, context)
    if (wrong !== null) yield { kind: 'rejected', position: `line ${record.line}`, reason: wrong }
  }
  const all = [...taken.values()]
  for (const { line, window, isContradicted } of all) {
    const reason = `${window.day} is repeated with different figures`
    if (isContradicted) yield { kind: 'rejected', position: `line ${line}`, reason }
  }
  yield* byDay(all.filter(({ isContradicted }) => !isContradicted))
}

interface Table {
  /** Positions by lower-case name. */
  readonly columns: ReadonlyMap<string, number>
  readonly records: readonly CsvRecord[]
}

function readTable(records: readonly CsvRecord[]): Table {
  for (const [at, { cells }] of records.slice(0, HEADER_WITHIN).entries()) {
    const columns = new Map(cells.map((name, place) => [name.toLowerCase(), place]))
    if (REQUIRED.every((name) => columns.has(name))) return { columns, records: records.slice(at + 1) }
  }
  throw new BrokenBody(
    `no header with ${REQUIRED.join(', ')} in the first lines; the file begins with ${quoted(records[0]?.cells[0] ?? '')}`,
  )
}

function wrongWidth({ cells }: CsvRecord, columns: ReadonlyMap<string, number>): Read<never> {
  return { wrong: `has ${cells.length} cells, but the header has ${columns.size}` }
}

function readWindow(
  cell: (name: string) => string | undefined,
  venue: DailyFileVenue,
): Read<DailyVenueWindow> {
  const read = readAll({
    pair: readSymbol(cell('symbol') ?? ''),
    day: readDay(cell('date') ?? ''),
    prices: readPrices({ open: cell('open'), high: cell('high'), low: cell('low'), close: cell('close') }),
  })
  return readOn(read, ({ pair, day, prices }) =>
    readOn(readVolumes(cell, pair, prices), (volumes) => ({
      value: { venue, ...pair, day, vwap: typicalPrice(prices), ...volumes },
    })),
  )
}

interface Pair {
  readonly ticker: Ticker
  readonly quoteCurrency: QuoteCurrency
}

/** BTCUSD or BTC/USD. */
function readSymbol(text: string): Read<Pair> {
  const parts = /^([A-Z0-9]+?)\/?(USDT|USDC|USD)$/.exec(text)
  const ticker = parts === null ? null : parseTicker(parts[1] ?? '')
  if (ticker === null) return { wrong: `symbol ${quoted(text)} is not a pair against a dollar` }
  // The pattern matches only these three.
  return { value: { ticker, quoteCurrency: parts?.[2] as QuoteCurrency } }
}

function readDay(text: string): Read<IsoDate> {
  const day = parseIsoDate(text.replace(/ 00:00:00$/, ''))
  return day === null ? { wrong: `date ${quoted(text)} is not a UTC day` } : { value: day }
}

type Volumes = Pick<DailyVenueWindow, 'baseVolume' | 'quoteVolume'>

/**
 * Assigns the volumes by the names of their columns, or swaps them if the figures fit only so, because Bitstamp's
 * files have them in the wrong columns until February 2018.
 */
function readVolumes(cell: (name: string) => string | undefined, pair: Pair, prices: Prices): Read<Volumes> {
  const named = [`volume ${pair.ticker.toLowerCase()}`, `volume ${pair.quoteCurrency.toLowerCase()}`] as const
  const read = readAll({
    baseVolume: readVolume(cell(named[0]), named[0]),
    quoteVolume: readVolume(cell(named[1]), named[1]),
  })
  return readOn(read, (asNamed) => {
    const { baseVolume, quoteVolume } = asNamed
    const changedOver = { baseVolume: quoteVolume, quoteVolume: baseVolume }
    const value = [asNamed, changedOver].find((volumes) => areOf(volumes, prices))
    if (value !== undefined) return { value }
    return {
      wrong: `volumes ${baseVolume} and ${quoteVolume} fit no price from ${prices.low} to ${prices.high}`,
    }
  })
}

/** Whether some price of the bar turns one volume into the other, both rounded. */
function areOf({ baseVolume, quoteVolume }: Volumes, { low, high }: Prices): boolean {
  const most = baseVolume.plus(ROUNDING_SLACK).times(high).plus(ROUNDING_SLACK)
  const least = baseVolume.minus(ROUNDING_SLACK).times(low).minus(ROUNDING_SLACK)
  return quoteVolume.lessThanOrEqualTo(most) && quoteVolume.greaterThanOrEqualTo(least)
}

/** Keeps the day, or returns why not; an equal line for the day adds nothing. */
function take(
  taken: Map<string, SelectedFile>,
  found: SelectedFile,
  { now, onAbsent }: ParseContext,
): string | null {
  const { ticker, quoteCurrency, day } = found.window
  if (day >= toIsoDate(now)) return `${day} is not over yet`
  const key = `${ticker} ${quoteCurrency} ${day}`
  const earlier = taken.get(key)
  if (earlier === undefined) {
    taken.set(key, found)
    return null
  }
  const isSame = figuresOf(found.window) === figuresOf(earlier.window)
  if (isSame) {
    onAbsent()
    return null
  }
  earlier.isContradicted = true
  return `${day} has different figures on line ${earlier.line}`
}

function figuresOf({ vwap, baseVolume, quoteVolume }: DailyVenueWindow): string {
  return [vwap, baseVolume, quoteVolume].map((figure) => figure.toFixed()).join()
}

/** By ascending day, without the newest: the file does not say whether that day had ended when it was written. */
function* byDay(taken: readonly SelectedFile[]): Generator<Parsed<DailyVenueWindow>> {
  const ascending = taken.toSorted((a, b) =>
    a.window.day < b.window.day ? -1 : Number(a.window.day > b.window.day),
  )
  const newest = ascending.at(-1)?.window.day
  for (const { window, line } of ascending) {
    yield window.day === newest
      ? { kind: 'rejected', position: `line ${line}`, reason: `${newest}, the newest day, may be unfinished` }
      : { kind: 'row', row: window }
  }
}
