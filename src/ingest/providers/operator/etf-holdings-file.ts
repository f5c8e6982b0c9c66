import { explainCurrencyCode, explainMic, parseCurrencyCode, parseMic } from '../../../core/identifiers.js'
import { toIsoDate } from '../../../core/time.js'
import { ASSET_CATEGORIES, type EtfHolding, type EtfRow, type Fund } from '../../../domains/etf/model.js'
import { toCountryCode } from '../../bodies/countries/country-names.js'
import { type ParsedReport, ReportBuilder, rowsOfReport } from '../../bodies/etf/etf-report.js'
import { readHoldingIdentifiers, textOrNull, toTicker } from '../../bodies/etf/holding-identifiers.js'
import { toPrintableName } from '../../bodies/local-text.js'
import { type Read, readOn } from '../../bodies/read.js'
import { BrokenBody, type Feed, type ParseContext, quoted } from '../../feed.js'
import {
  type CellReader,
  cellOneOf,
  dayCell,
  decimalCell,
  neededColumn,
  ownColumn,
  parsedCell,
  readColumns,
  type TableRow,
  type TableTexts,
} from './columns.js'
import { OPERATOR_FEED } from './keyed-lines.js'
import { readTable } from './table.js'

/** OwnColumns about the fund, equal on every line. */
const OF_FUND = {
  asOf: neededColumn('as_of', 'the day of the holdings', dayCell),
  nav: ownColumn('nav', '', orNone(decimalCell)),
  navCurrency: ownColumn('nav_currency', '', orNone(parsedCell(parseCurrencyCode, explainCurrencyCode))),
  sharesOutstanding: ownColumn('shares_outstanding', '', orNone(decimalCell)),
  netAssetsUsd: ownColumn('net_assets_usd', '', orNone(decimalCell)),
}

const OF_HOLDING = {
  name: ownColumn('name', '', readName, true),
  weight: ownColumn('weight', 'a fraction (0.05 is 5 %)', decimalCell, true),
  mic: ownColumn('mic', '', orNone(parsedCell(parseMic, explainMic))),
  shares: ownColumn('shares', '', orNone(decimalCell)),
  marketValueUsd: ownColumn('market_value_usd', '', orNone(decimalCell)),
  assetCategory: ownColumn(
    'asset_category',
    ASSET_CATEGORIES.join(', '),
    orNone(cellOneOf(ASSET_CATEGORIES)),
  ),
  country: ownColumn('country', 'two letters', orNone(parsedCell(toCountryCode, () => 'is not valid'))),
}

/** Identifiers. One that fails its check is kept as text. */
const OF_SECURITY = {
  ticker: ownColumn('ticker', '', orNone(anyText)),
  isin: ownColumn('isin', '', orNone(anyText)),
  figi: ownColumn('figi', '', orNone(anyText)),
  lei: ownColumn('lei', '', orNone(anyText)),
}

const COLUMNS = { ...OF_FUND, ...OF_HOLDING, ...OF_SECURITY }

export const ETF_HOLDINGS_TABLE: TableTexts = {
  columns: COLUMNS,
  notes: ['the cells about the fund are equal on every line; nav and nav_currency are given together'],
}

/** The holdings of a fund of any issuer, as a table of the operator. */
export function etfHoldingsFile(fund: Fund): Feed<EtfRow> {
  return {
    ...OPERATOR_FEED,
    id: 'etf-holdings',
    dataset: 'etf',
    description: 'Holdings of an ETF as a table of your own',
    parse: (body, context) => rowsOfReport(parseEtfHoldingsFile(body, fund, context)),
  }
}

/**
 * Reads the report of a table, whatever the sum of its weights. Throws BrokenBody, and BrokenCsv if it is not CSV.
 */
export function parseEtfHoldingsFile(body: Uint8Array, fund: Fund, context: ParseContext): ParsedReport {
  const builder = new ReportBuilder()
  let first: TableRow | null = null
  for (const row of readTable(body, COLUMNS, context.onRead)) {
    if ('kind' in row) {
      builder.reject(row.position, row.reason)
      continue
    }
    first ??= row
    for (const { name } of Object.values(OF_FUND))
      if (row.cell(name) !== first.cell(name))
        throw new BrokenBody(`line ${row.line} has another ${name} than the first line`)
    const position = `line ${row.line}, ${quoted(toPrintableName(row.cell('name') ?? ''))}`
    const cells = JSON.stringify(Object.values(COLUMNS).map(({ name }) => row.cell(name)))
    builder.take(position, readHolding(row), { cells })
  }
  if (first === null) throw new BrokenBody('the table has no line below its header')
  return builder.build(factsOf(first, fund, context.now))
}

function factsOf(row: TableRow, fund: Fund, now: Date) {
  const read = readColumns(OF_FUND, row, now)
  if ('wrong' in read) throw new BrokenBody(read.wrong)
  const { nav, navCurrency: currency, ...facts } = read.value
  if (facts.asOf > toIsoDate(now)) throw new BrokenBody(`as_of is ${facts.asOf}, which is in the future`)
  if ((nav === null) !== (currency === null))
    throw new BrokenBody('nav and nav_currency are given together, nav_currency as three letters')
  return {
    assetId: fund.assetId,
    publishedAt: null,
    accession: null,
    isAmendment: false,
    ...facts,
    nav: nav === null || currency === null ? null : { value: nav, currency, isComputed: false },
    uninvestedCash: null,
  }
}

function readHolding(row: TableRow): Read<EtfHolding> {
  return readOn(readColumns({ ...OF_HOLDING, ...OF_SECURITY }, row, null), (read) => {
    const { isin, figi, lei, ticker, ...facts } = read
    const identifiers = readHoldingIdentifiers({ isin, figi, lei })
    return { value: { ticker: toTicker(ticker), ...identifiers, ...facts } }
  })
}

function readName(cell: string): Read<string> {
  const name = toPrintableName(cell)
  return name === '' ? { wrong: 'is missing' } : { value: name }
}

function anyText(cell: string): Read<string> {
  return { value: cell }
}

/** A placeholder, such as N/A, is null like an empty cell. */
function orNone<Value>(read: CellReader<Value>): CellReader<Value | null> {
  return (cell, context, row) => {
    const text = textOrNull(cell)
    return text === null ? { value: null } : read(text, context, row)
  }
}
