import type { DecimalText } from '../../../core/decimal.js'
import { parseCurrencyCode, parseMic } from '../../../core/identifiers.js'
import { type IsoDate, parseIsoDate, toIsoDate } from '../../../core/time.js'
import type { Fund } from '../../../domains/etf/model.js'
import {
  ASSET_CATEGORIES,
  type AssetCategory,
  type EtfHolding,
  type EtfRow,
} from '../../../domains/etf/model.js'
import { toCountryCode } from '../../bodies/country-names.js'
import { type ParsedReport, ReportBuilder, rowsOfReport } from '../../bodies/etf/etf-report.js'
import { readHoldingIdentifiers, textOrNull, toTicker } from '../../bodies/etf/holding-identifiers.js'
import { toPrintableName } from '../../bodies/local-text.js'
import { named, type Read, readAll, readOn } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import { BrokenBody, type Feed, type ParseContext, quoted } from '../../feed.js'
import { operator } from '../providers.js'
import { readTable, type TableRow } from './table.js'

const REQUIRED = ['as_of', 'name', 'weight'] as const

/** Columns about the fund, equal on every line. */
const OF_FUND = ['as_of', 'nav', 'nav_currency', 'shares_outstanding', 'net_assets_usd'] as const

const COLUMNS = [
  ...OF_FUND,
  'name',
  'weight',
  'ticker',
  'mic',
  'isin',
  'figi',
  'lei',
  'shares',
  'market_value_usd',
  'asset_category',
  'country',
] as const

/** The help text of the file. */
export const ETF_HOLDINGS_FILE_HELP = [
  `columns: ${COLUMNS.slice(0, 9).join(', ')},`,
  `${COLUMNS.slice(9).join(', ')}`,
  `needed: ${REQUIRED.join(', ')}; as_of is a day, weight a fraction (0.05 is 5 %), country two letters`,
  `asset_category: ${ASSET_CATEGORIES.slice(0, 8).join(', ')},`,
  ASSET_CATEGORIES.slice(8).join(', '),
]

/** The holdings of a fund of any issuer, as a table of the operator. */
export function etfHoldingsFile(fund: Fund): Feed<EtfRow> {
  return {
    id: 'etf-holdings',
    provider: operator,
    dataset: 'etf',
    description: 'Holdings of an ETF as a table of your own',
    cadence: 'when you give a file',
    fileNames: [],
    request: () => null,
    parse: (body, context) => rowsOfReport(parseEtfHoldingsFile(body, fund, context)),
  }
}

/** The cells about the fund. */
type FundCells = Readonly<Record<(typeof OF_FUND)[number], string>>

/**
 * Reads the report of a table, whatever the sum of its weights. Throws BrokenBody, and BrokenCsv if it is not CSV.
 */
export function parseEtfHoldingsFile(body: Uint8Array, fund: Fund, context: ParseContext): ParsedReport {
  const builder = new ReportBuilder()
  let ofFund: FundCells | null = null
  for (const row of readTable(body, { known: COLUMNS, required: REQUIRED }, context.onRead)) {
    if ('kind' in row) {
      builder.reject(row.position, row.reason)
      continue
    }
    ofFund ??= fundCellsOf(row)
    const other = OF_FUND.find((column) => (row.cell(column) ?? '') !== ofFund?.[column])
    if (other !== undefined) throw new BrokenBody(`line ${row.line} has another ${other} than the first line`)
    const position = `line ${row.line}, ${quoted(toPrintableName(row.cell('name') ?? ''))}`
    const cells = JSON.stringify(COLUMNS.map((column) => row.cell(column)))
    builder.take(position, readRow(row), { cells })
  }
  if (ofFund === null) throw new BrokenBody('the table has no line below its header')
  return builder.build(factsOf(ofFund, fund, toIsoDate(context.now)))
}

function fundCellsOf(row: TableRow): FundCells {
  const cell = (column: keyof FundCells) => row.cell(column) ?? ''
  return {
    as_of: cell('as_of'),
    nav: cell('nav'),
    nav_currency: cell('nav_currency'),
    shares_outstanding: cell('shares_outstanding'),
    net_assets_usd: cell('net_assets_usd'),
  }
}

function factsOf(cells: FundCells, fund: Fund, today: IsoDate) {
  const asOf = parseIsoDate(cells.as_of)
  if (asOf === null)
    throw new BrokenBody(`as_of is ${quoted(cells.as_of)}, which is not a day such as 2026-01-31`)
  if (asOf > today) throw new BrokenBody(`as_of is ${asOf}, which is in the future`)
  const nav = numberOf(cells, 'nav')
  const currency = parseCurrencyCode(cells.nav_currency)
  if ((nav === null) !== (currency === null))
    throw new BrokenBody('nav and nav_currency are given together, nav_currency as three letters')
  return {
    assetId: fund.assetId,
    asOf,
    publishedAt: null,
    accession: null,
    isAmendment: false,
    netAssetsUsd: numberOf(cells, 'net_assets_usd'),
    sharesOutstanding: numberOf(cells, 'shares_outstanding'),
    nav: nav === null || currency === null ? null : { value: nav, currency, isComputed: false },
    uninvestedCash: null,
  }
}

function numberOf(cells: FundCells, column: keyof FundCells) {
  const text = textOrNull(cells[column])
  if (text === null) return null
  const read = readDecimal(text)
  if ('wrong' in read) throw new BrokenBody(`${column}: ${read.wrong}`)
  return read.value
}

function categoryOf(text: string): AssetCategory | null {
  return ASSET_CATEGORIES.find((category) => category === text) ?? null
}

function readRow(row: TableRow): Read<EtfHolding> {
  const text = (column: (typeof COLUMNS)[number]) => textOrNull(row.cell(column))
  const number = (column: 'shares' | 'market_value_usd') => {
    const there = text(column)
    return named<DecimalText | null>(`${column}:`, there === null ? { value: null } : readDecimal(there))
  }
  const listed = <Value>(
    column: 'asset_category' | 'country' | 'mic',
    parse: (there: string) => Value | null,
    range = '',
  ): Read<Value | null> => {
    const there = text(column)
    const value = there === null ? null : parse(there)
    return there === null || value !== null
      ? { value }
      : { wrong: `${column} is ${quoted(there)}, which is not valid${range}` }
  }
  const name = toPrintableName(row.cell('name') ?? '')
  const cells = readAll({
    name: name === '' ? { wrong: 'has no name' } : { value: name },
    mic: listed('mic', parseMic),
    weight: named('weight:', readDecimal(row.cell('weight') ?? '')),
    shares: number('shares'),
    marketValueUsd: number('market_value_usd'),
    assetCategory: listed('asset_category', categoryOf, ' of those known'),
    country: listed('country', toCountryCode),
  })
  const identifiers = readHoldingIdentifiers({ isin: text('isin'), figi: text('figi'), lei: text('lei') })
  return readOn(cells, (read) => ({
    value: { ticker: toTicker(row.cell('ticker')), ...identifiers, ...read },
  }))
}
