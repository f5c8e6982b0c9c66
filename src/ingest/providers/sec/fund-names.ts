import { isUtf8 } from 'node:buffer'
import { parseCik } from '../../../core/identifiers.js'
import { PROVIDERS } from '../../../core/providers.js'
import type { NamedFund } from '../../../domains/instruments/funds/fund-classes-model.js'
import { type CsvRecord, csvRecords } from '../../bodies/csv/csv.js'
import { CsvHeader } from '../../bodies/csv/csv-header.js'
import { withoutContradicted } from '../../bodies/without-contradicted.js'
import { type Feed, type FeedRequest, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { CLASS_ID, isMutualFundTicker, SERIES_ID } from './fund-keys.js'
import { SEC_VARIABLE, secRequest } from './request.js'
import { parseCompanyName } from './ticker-list.js'

const COLUMNS = ['CIK Number', 'Series ID', 'Series Name', 'Class ID', 'Class Name', 'Class Ticker'] as const

type Header = CsvHeader<(typeof COLUMNS)[number]>

/** The list of the names of series and classes. The SEC publishes one file for each year, and renews that of the current year. */
export const secFundNames: Feed<NamedFund> = {
  id: 'sec-fund-names',
  provider: PROVIDERS.sec,
  dataset: 'instruments',
  description: 'Names of the classes of funds, from the yearly list of series and classes',
  cadence: 'yearly, renewed within the year',
  keyVariable: SEC_VARIABLE,
  fileNames: ['investment-company-series-class-2026.csv'],
  request: (now) => fundNamesRequest(now.getUTCFullYear()),
  parse: (body, context) => withoutContradicted(parseNames(body, context), ({ classId }) => classId),
}

const DIRECTORY =
  'https://www.sec.gov/files/investment/data/other/investment-company-series-class-information'

/** The list of a year. */
export function fundNamesRequest(year: number): FeedRequest {
  return secRequest(`${DIRECTORY}/investment-company-series-class-${year}.csv`, 'text/csv')
}

function* parseNames(body: Uint8Array, context: ParseContext): Generator<Parsed<NamedFund>> {
  let header: Header | null = null
  const given = new Map<string, NamedFund>()
  for (const record of csvRecords(toUtf8(body), (fraction) => context.onRead(fraction), {
    keepsBrokenLines: true,
  })) {
    if (header === null) {
      header = CsvHeader.read(record.cells, COLUMNS)
      continue
    }
    const position = `line ${record.line}`
    const read = readName(header, record)
    if (read === null) {
      context.onAbsent()
      continue
    }
    if ('wrong' in read) {
      yield { kind: 'rejected', position, reason: read.wrong }
      continue
    }
    const earlier = given.get(read.classId)
    given.set(read.classId, read)
    if (earlier === undefined) yield { kind: 'row', row: read, position }
    else if (JSON.stringify(earlier) === JSON.stringify(read)) context.onAbsent()
    else {
      const reason = `${read.classId} has other facts in an earlier line`
      yield { kind: 'rejected', position, reason, contradicts: earlier }
    }
  }
  context.onRead(1)
}

/** Null for a line without a class, and for a class of a mutual fund, which makes no asset and needs no name. */
function readName(header: Header, record: CsvRecord): NamedFund | null | { readonly wrong: string } {
  const misfit = header.explain(record)
  if (misfit !== null) return { wrong: `the line ${misfit}` }
  const [seriesId, classId] = [header.cell(record, 'Series ID'), header.cell(record, 'Class ID')]
  if (classId === '' || isMutualFundTicker(header.cell(record, 'Class Ticker'))) return null
  if (!CLASS_ID.test(classId)) return { wrong: `${quoted(classId)} is not the id of a class` }
  if (!SERIES_ID.test(seriesId))
    return { wrong: `${quoted(seriesId)} of ${classId} is not the id of a series` }
  const cik = parseCik(header.cell(record, 'CIK Number'))
  if (cik === null) return { wrong: `the CIK of ${classId} is not a CIK` }
  const name = nameOf(header.cell(record, 'Series Name'), header.cell(record, 'Class Name'))
  return name === null ? { wrong: `the name of ${classId} is not usable` } : { classId, seriesId, cik, name }
}

/** The series, and the class if its name says more. */
function nameOf(seriesName: string, className: string): string | null {
  const [series, own] = [parseCompanyName(seriesName), parseCompanyName(className)]
  if (series === null || own === null) return series ?? own
  const [plainSeries, plainOwn] = [plain(series), plain(own)]
  if (plainSeries.includes(plainOwn)) return series
  return plainOwn.includes(plainSeries) ? own : (parseCompanyName(`${series}, ${own}`) ?? series)
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** A spreadsheet may have saved the list in Windows-1252. */
function toUtf8(body: Uint8Array): Uint8Array {
  return isUtf8(body) ? body : new TextEncoder().encode(new TextDecoder('windows-1252').decode(body))
}
