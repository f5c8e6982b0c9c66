import { type CurrencyCode, parseCurrencyCode } from '../../../core/identifiers.js'
import { PROVIDERS } from '../../../core/providers.js'
import { FOREX_BASE, type Rate } from '../../../domains/forex/model.js'
import { type CsvRecord, csvRecords } from '../../bodies/csv/csv.js'
import { type Read, readAll, readOn } from '../../bodies/read.js'
import { withoutContradicted } from '../../bodies/without-contradicted.js'
import { BrokenBody, type Feed, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { afterEcbPublication } from '../../schedule.js'
import { readPublicationDay, readRate, readUnitMult } from './reference-rate.js'

/** Six weeks of TARGET days, so that a short outage does not need the whole history. */
const OBSERVATIONS = 30

/** The columns that every table of rates has; the others are read if present. */
const REQUIRED = ['CURRENCY', 'TIME_PERIOD', 'OBS_VALUE'] as const

/** The series of the reference rates: daily, against the euro, spot, average of the fixing. */
const SERIES = [
  ['FREQ', 'D'],
  ['CURRENCY_DENOM', FOREX_BASE],
  ['EXR_TYPE', 'SP00'],
  ['EXR_SUFFIX', 'A'],
] as const

/** SDMX code list CL_OBS_STATUS: holiday, missing, missing but collected. */
const MISSING_STATUS: ReadonlySet<string> = new Set(['H', 'M', 'L'])
const MISSING_VALUE: ReadonlySet<string> = new Set(['', 'NaN'])

/** The newest reference rates from the ECB's SDMX service, one line per currency and day. */
export const ecbDaily: Feed<Rate> = {
  id: 'ecb-daily',
  provider: PROVIDERS.ecb,
  dataset: 'forex',
  description: `Euro reference rates of the last ${OBSERVATIONS} days of each currency`,
  cadence: 'TARGET days, about 16:00 Frankfurt time',
  schedule: afterEcbPublication,
  fileNames: ['answers of the ECB data API in format=csvdata'],
  request: () => ({
    url: `https://data-api.ecb.europa.eu/service/data/EXR/D..EUR.SP00.A?format=csvdata&lastNObservations=${OBSERVATIONS}`,
    headers: { accept: 'text/csv' },
  }),
  parse: (body, context) =>
    withoutContradicted(parseEcbDaily(body, context), ({ quote, date }) => `${quote}, ${date}`),
}

function* parseEcbDaily(body: Uint8Array, context: ParseContext): Generator<Parsed<Rate>> {
  const records = csvRecords(body, (fraction) => context.onRead(fraction))
  const header = records.next()
  if (header.done) throw new BrokenBody('the body is empty')
  const columns = readHeader(header.value.cells)
  const seen = new Map<string, { readonly row: Rate; readonly line: number }>()
  for (const record of records) {
    const cell = (name: string) => record.cells[columns.get(name) ?? -1] ?? ''
    const read = readObservation(cell, columns, context.now)
    if ('wrong' in read) {
      yield { kind: 'rejected', position: positionOf(record, cell('CURRENCY')), reason: read.wrong }
      continue
    }
    const row = read.value
    if (row === null) {
      context.onAbsent()
      continue
    }
    const earlier = seen.get(row.quote + row.date)
    if (earlier === undefined) {
      seen.set(row.quote + row.date, { row, line: record.line })
      yield { kind: 'row', row }
    } else if (earlier.row.rate === row.rate) context.onAbsent()
    else {
      const reason = `line ${earlier.line} already has ${row.date}, with ${earlier.row.rate}`
      yield { kind: 'rejected', position: positionOf(record, row.quote), reason, contradicts: earlier.row }
    }
  }
}

/** Positions by name, because the service has added columns before. */
function readHeader(cells: readonly string[]): ReadonlyMap<string, number> {
  const columns = new Map(cells.map((name, at) => [name, at]))
  const missing = REQUIRED.filter((name) => !columns.has(name))
  if (missing.length > 0) {
    throw new BrokenBody(
      `the first line is not the header of an SDMX-CSV answer: ${missing.join(', ')} missing, it begins with ${quoted(cells[0] ?? '')}`,
    )
  }
  return columns
}

/** The rate of one line; null if the currency has no rate on that day. */
function readObservation(
  cell: (name: string) => string,
  columns: ReadonlyMap<string, number>,
  now: Date,
): Read<Rate | null> {
  for (const [name, due] of SERIES) {
    if (columns.has(name) && cell(name) !== due) {
      return { wrong: `${name} is ${quoted(cell(name))}, but reference rates have ${quoted(due)}` }
    }
  }
  const key = readAll({
    quote: readQuote(cell('CURRENCY')),
    date: readPublicationDay(cell('TIME_PERIOD'), now),
  })
  return readOn(
    key,
    (read): Read<Rate | null> =>
      isMissing(cell('OBS_VALUE'), cell('OBS_STATUS'))
        ? { value: null }
        : readOn(readValue(cell), (rate) => ({ value: { ...read, rate } })),
  )
}

function readValue(cell: (name: string) => string): Read<Rate['rate']> {
  return readOn(readUnitMult(cell('UNIT_MULT')), (unitMult) => readRate(cell('OBS_VALUE'), unitMult))
}

function readQuote(text: string): Read<CurrencyCode> {
  const quote = /^[A-Z]{3}$/.test(text) ? parseCurrencyCode(text) : null
  if (quote === null) return { wrong: `${quoted(text)} is not a currency code` }
  return text === FOREX_BASE ? { wrong: `${quoted(text)} is the base itself` } : { value: quote }
}

function isMissing(value: string, status: string): boolean {
  return value === 'N/A' || status === 'H' || (MISSING_VALUE.has(value) && MISSING_STATUS.has(status))
}

function positionOf({ line }: CsvRecord, currency: string): string {
  return /^[A-Z]{3}$/.test(currency) ? `line ${line}, ${currency}` : `line ${line}`
}
