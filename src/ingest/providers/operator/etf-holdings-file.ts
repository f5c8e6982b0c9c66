import { parseCurrencyCode, parseMic } from '../../../core/identifiers.js'
import { type IsoDate, isoDateOf, parseIsoDate } from '../../../core/time.js'
import type { Fund } from '../../../domains/etf/model.js'
import {
  ASSET_CATEGORIES,
  type AssetCategory,
  type EtfHolding,
  type EtfRow,
} from '../../../domains/etf/model.js'
import { countryCodeOf } from '../../bodies/country-names.js'
import { type ParsedReport, ReportBuilder, rowsOfReport } from '../../bodies/etf-report.js'
import { readHoldingIdentifiers, textOrNull, tickerOf } from '../../bodies/holding-identifiers.js'
import { printableNameOf } from '../../bodies/local-text.js'
import type { Read } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import { BrokenBody, type Feed, type ParseContext, quoted } from '../../feed.js'
import { operator } from './provider.js'
import { readTable, type TableRow } from './table.js'

const REQUIRED = ['as_of', 'name', 'weight'] as const

/** About the fund, the same on every line. */
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

/** What the help says of the file. */
export const ETF_HOLDINGS_FILE_HELP = [
  `columns: ${COLUMNS.slice(0, 9).join(', ')},`,
  `${COLUMNS.slice(9).join(', ')}`,
  `needed: ${REQUIRED.join(', ')}; as_of is a day, weight a fraction (0.05 is 5 %), country two letters`,
  `asset_category: ${ASSET_CATEGORIES.slice(0, 8).join(', ')},`,
  ASSET_CATEGORIES.slice(8).join(', '),
]

/** The holdings of a fund of any issuer, as a table of the operator's. */
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

/** What the lines say of the fund. */
type FundCells = Readonly<Record<(typeof OF_FUND)[number], string>>

/** The report of a table, whatever its weights sum to. Throws BrokenBody, and BrokenCsv for what is no table. */
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
    if (other !== undefined) throw new BrokenBody(`line ${row.line} has another ${other} than the first`)
    builder.take(`line ${row.line}, ${quoted(printableNameOf(row.cell('name') ?? ''))}`, readRow(row))
  }
  if (ofFund === null) throw new BrokenBody('the table has no line below its header')
  return builder.build(factsOf(ofFund, fund, isoDateOf(context.now)))
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
    throw new BrokenBody(`as_of is ${quoted(cells.as_of)}, which is no day such as 2026-01-31`)
  if (asOf > today) throw new BrokenBody(`as_of is ${asOf}, which is still to come`)
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

function isCategory(text: string): text is AssetCategory {
  return ASSET_CATEGORIES.some((category) => category === text)
}

function readRow(row: TableRow): Read<EtfHolding> {
  const text = (column: (typeof COLUMNS)[number]) => textOrNull(row.cell(column))
  const number = (column: 'shares' | 'market_value_usd') => {
    const there = text(column)
    return there === null ? { value: null } : readDecimal(there)
  }
  const name = printableNameOf(row.cell('name') ?? '')
  if (name === '') return { wrong: 'has no name' }
  const weight = readDecimal(row.cell('weight') ?? '')
  if ('wrong' in weight) return { wrong: `weight: ${weight.wrong}` }
  const shares = number('shares')
  if ('wrong' in shares) return { wrong: `shares: ${shares.wrong}` }
  const value = number('market_value_usd')
  if ('wrong' in value) return { wrong: `market_value_usd: ${value.wrong}` }
  const [category, country, mic] = [text('asset_category'), text('country'), text('mic')]
  if (category !== null && !isCategory(category))
    return { wrong: `asset_category is ${quoted(category)}, which is none of those known` }
  if (country !== null && countryCodeOf(country) === null)
    return { wrong: `country is ${quoted(country)}, which is none` }
  if (mic !== null && parseMic(mic) === null) return { wrong: `mic is ${quoted(mic)}, which is none` }
  return {
    value: {
      name,
      ticker: tickerOf(row.cell('ticker')),
      mic: mic === null ? null : parseMic(mic),
      ...readHoldingIdentifiers({ isin: text('isin'), figi: text('figi'), lei: text('lei') }),
      weight: weight.value,
      shares: shares.value,
      marketValueUsd: value.value,
      assetCategory: category,
      country: countryCodeOf(country),
    },
  }
}
