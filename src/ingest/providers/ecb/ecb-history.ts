import { unzipSync } from 'fflate'
import { type CurrencyCode, parseCurrencyCode } from '../../../core/identifiers.js'
import { PROVIDERS } from '../../../core/providers.js'
import { FOREX_BASE, type Rate } from '../../../domains/forex/model.js'
import { type CsvRecord, csvRecords } from '../../bodies/csv/csv.js'
import { BrokenBody, type Feed, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { readPublicationDay, readRate } from './reference-rate.js'

/** The history is 2 MB after 27 years; a much larger file in an archive is a zip bomb. */
const MAX_UNZIPPED_BYTES = 64 * 1024 * 1024

/** The text of the file for a day without a rate. */
const MISSING = 'N/A'

/**
 * All reference rates since 1999, one line per day and one column per currency, including currencies that no longer
 * exist.
 */
export const ecbHistory: Feed<Rate> = {
  id: 'ecb-history',
  provider: PROVIDERS.ecb,
  dataset: 'forex',
  description: 'Euro reference rates of every day since 4 January 1999',
  cadence: 'TARGET days, about 16:00 Frankfurt time',
  fileNames: ['eurofxref-hist.csv', 'eurofxref-hist.zip'],
  request: () => ({
    url: 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip',
    headers: { accept: 'application/zip' },
  }),
  parse: (body, context) => parseEcbHistory(body, context),
}

/** Also reads the synthetic data, which has the same format. */
export function* parseEcbHistory(body: Uint8Array, context: ParseContext): Generator<Parsed<Rate>> {
  const records = csvRecords(unzipped(body), (fraction) => context.onRead(fraction))
  const header = records.next()
  if (header.done) throw new BrokenBody('the body is empty')
  const columns = yield* readHeader(header.value)
  const width = header.value.cells.length
  const cells = header.value.cells.slice(1).filter((name, at) => name !== '' || at < width - 2).length
  const lines = [...records]
  const contradicted = contradictedDays(lines)
  const seen = new Map<string, CsvRecord>()
  for (const record of lines) yield* readDay(record, { columns, width, cells, seen, contradicted }, context)
}

/** Days that have two lines with different figures. */
function contradictedDays(lines: readonly CsvRecord[]): ReadonlySet<string> {
  const figures = new Map<string, string>()
  const contradicted = new Set<string>()
  for (const { cells } of lines) {
    const [day = ''] = cells
    const text = figuresOf(cells)
    if ((figures.get(day) ?? text) !== text) contradicted.add(day)
    figures.set(day, text)
  }
  return contradicted
}

/** Removes the empty cell that a line may end with. */
function figuresOf(cells: readonly string[]): string {
  return cells.join().replace(/,$/, '')
}

interface Column {
  readonly at: number
  readonly quote: CurrencyCode
}

interface Table {
  readonly columns: readonly Column[]
  readonly width: number
  /** The number of cells of a line, including columns that are left out. */
  readonly cells: number
  /** The line of each day read so far. */
  readonly seen: Map<string, CsvRecord>
  readonly contradicted: ReadonlySet<string>
}

/** The currency columns. Other columns are rejected, except the empty one at the end. */
function* readHeader({ line, cells }: CsvRecord): Generator<Parsed<Rate>, readonly Column[]> {
  if (cells[0] !== 'Date') {
    throw new BrokenBody(
      `the first line is not the header of eurofxref-hist.csv: it begins with ${quoted(cells[0] ?? '')} instead of "Date"`,
    )
  }
  const columns: Column[] = []
  for (const [at, name] of cells.entries()) {
    if (at === 0 || (name === '' && at === cells.length - 1)) continue
    const wrong = wrongColumn(name, columns)
    if (wrong !== null) {
      yield {
        kind: 'rejected',
        position: `line ${line}, column ${at + 1}`,
        reason: `${quoted(name)} ${wrong}`,
      }
      continue
    }
    const quote = parseCurrencyCode(name)
    if (quote !== null) columns.push({ at, quote })
  }
  if (columns.length === 0) throw new BrokenBody('the header names no currency')
  return columns
}

function wrongColumn(name: string, columns: readonly Column[]): string | null {
  if (!/^[A-Z]{3}$/.test(name)) return 'is not a currency code; the column is left out'
  if (name === FOREX_BASE) return 'is the base itself; the column is left out'
  return columns.some(({ quote }) => quote === name) ? 'is repeated; the column is left out' : null
}

function* readDay(record: CsvRecord, table: Table, context: ParseContext): Generator<Parsed<Rate>> {
  const { line, cells } = record
  const wrong = wrongWidth(cells, table.width)
  const date = wrong === null ? readPublicationDay(cells[0] ?? '', context.now) : { wrong }
  if ('wrong' in date) {
    context.onAbsent(table.cells - 1)
    yield { kind: 'rejected', position: `line ${line}`, reason: date.wrong }
    return
  }
  const earlier = table.seen.get(date.value)
  if (earlier !== undefined) {
    // A repeated line adds nothing. If two lines differ, neither can be trusted.
    const isSame = figuresOf(earlier.cells) === figuresOf(cells)
    context.onAbsent(isSame ? table.cells : table.cells - 1)
    if (isSame) return
    const reason = `${date.value} has different figures on line ${earlier.line}`
    yield { kind: 'rejected', position: `line ${line}`, reason }
    return
  }
  table.seen.set(date.value, record)
  if (table.contradicted.has(cells[0] ?? '')) {
    context.onAbsent(table.cells - 1)
    const reason = `${date.value} is repeated with different figures`
    yield { kind: 'rejected', position: `line ${line}`, reason }
    return
  }
  context.onAbsent(table.cells - table.columns.length)
  for (const { at, quote } of table.columns) {
    const text = cells[at] ?? ''
    if (text === MISSING) {
      context.onAbsent()
      continue
    }
    const rate = readRate(text)
    yield 'wrong' in rate
      ? { kind: 'rejected', position: `line ${line}, ${quote}`, reason: rate.wrong }
      : { kind: 'row', row: { quote, date: date.value, rate: rate.value } }
  }
}

/** Lines may lack the empty last cell of the header. */
function wrongWidth(cells: readonly string[], width: number): string | null {
  return cells.length === width || cells.length === width - 1
    ? null
    : `has ${cells.length} cells, but the header has ${width}`
}

/** The one CSV of an archive; other bodies pass unchanged. */
function unzipped(body: Uint8Array): Uint8Array {
  if (body[0] !== 0x50 || body[1] !== 0x4b) return body
  const files = Object.entries(unzip(body))
  const [csv] = files
  if (csv === undefined || files.length !== 1) {
    throw new BrokenBody(`the archive holds ${files.length} CSV files, not one`)
  }
  return csv[1]
}

function unzip(body: Uint8Array): Record<string, Uint8Array> {
  try {
    return unzipSync(body, {
      filter: ({ name, originalSize }) => {
        if (!name.toLowerCase().endsWith('.csv')) return false
        if (originalSize > MAX_UNZIPPED_BYTES) throw new BrokenBody('the file in the archive is too large')
        return true
      },
    })
  } catch (error) {
    if (error instanceof BrokenBody) throw error
    throw new BrokenBody('the archive is damaged or cut off', { cause: error })
  }
}
