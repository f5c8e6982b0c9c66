import { type DecimalText, decimal, decimalText } from '../../../core/decimal.js'
import { parseMic } from '../../../core/identifiers.js'
import { PROVIDERS } from '../../../core/providers.js'
import type { RequestRate } from '../../../core/request-rate.js'
import { type IsoDate, toIsoDate } from '../../../core/time.js'
import {
  baseCurrencyOf,
  type EtfHolding,
  type EtfRow,
  type Fund,
  type Nav,
} from '../../../domains/etf/model.js'
import { toCountryCode } from '../../bodies/countries/country-names.js'
import { BrokenCsv, type CsvRecord, csvRecords } from '../../bodies/csv/csv.js'
import { isCountedInShares, toAssetCategory } from '../../bodies/etf/asset-categories.js'
import { type ParsedReport, ReportBuilder, rowsOfReport } from '../../bodies/etf/etf-report.js'
import { readHoldingIdentifiers, textOrNull, toTicker } from '../../bodies/etf/holding-identifiers.js'
import { readLocalDay, readLocalDecimal, toPrintableName } from '../../bodies/local-text.js'
import { named, type Read, readAll, readOn } from '../../bodies/read.js'
import { BrokenBody, type Feed, type ParseContext, quoted } from '../../feed.js'
import { type Columns, marketCodeOf, parseHeaderColumns } from './columns.js'

/** Digits of a computed price, no more than the published ones justify. */
const NAV_DECIMALS = 4

/** No client waits. */
const RATE: RequestRate = { provider: PROVIDERS.ishares.id, pauseMs: 2_000 }

/** The holdings of a fund as iShares publishes them each day. */
export function isharesHoldings(fund: Fund): Feed<EtfRow> {
  return {
    id: 'ishares',
    provider: PROVIDERS.ishares,
    dataset: 'etf',
    description: 'Holdings of an iShares fund, from the CSV of its page',
    cadence: 'each business day',
    request: () =>
      fund.isharesUrl === null ? null : { url: fund.isharesUrl, headers: { accept: 'text/csv' }, rate: RATE },
    parse: (body, context) => rowsOfReport(parseIsharesHoldings(body, fund, context)),
  }
}

/** The labelled lines above the table. */
interface Preamble {
  readonly asOf: IsoDate
  readonly sharesOutstanding: string | null
}

/**
 * Reads the report of a file, whatever the sum of its weights. Throws BrokenBody and BrokenCsv for another file.
 */
export function parseIsharesHoldings(body: Uint8Array, fund: Fund, context: ParseContext): ParsedReport {
  const labels = new Map<string, string>()
  const builder = new ReportBuilder()
  let columns: Columns | null = null
  for (const record of csvRecords(body, context.onRead, { keepsBrokenLines: true })) {
    if (columns === null) {
      columns = parseHeaderColumns(record)
      if (columns === null) labels.set((record.cells[0] ?? '').toLowerCase(), record.cells[1] ?? '')
      continue
    }
    // A line with one cell ends the table; terms of use follow. So does a second table, with what the funds of the first one hold.
    if (record.cells.length === 1 || AS_OF.test(record.cells[0] ?? '')) break
    const position = `line ${record.line}, ${quoted(toPrintableName(columns.cell(record, 'name')))}`
    const read = readRow(record, columns, fund)
    const holding = readOn(read, (row) => ({ value: row.holding }))
    const marketValue = 'value' in read ? read.value.marketValue : null
    builder.take(position, holding, { cells: JSON.stringify(record.cells), marketValue })
  }
  const preamble = readPreamble(labels, toIsoDate(context.now))
  if (columns === null) throw new BrokenCsv('the file has no table with the columns Name and Weight (%)')
  return builder.build(factsOf(preamble, columns, fund, builder))
}

/** The label of the day of the holdings. */
const AS_OF = /holdings as of|^as of|positionen? (per|zum|vom)|fondsposition/i

function readPreamble(labels: ReadonlyMap<string, string>, today: IsoDate): Preamble {
  const find = (label: RegExp) => [...labels].find(([name]) => label.test(name))?.[1] ?? null
  const day = find(AS_OF)
  if (day === null) throw new BrokenBody('the file does not state the day of its holdings')
  if (textOrNull(day) === null) throw new BrokenBody('the fund has no holdings on the requested day')
  const asOf = readLocalDay(day)
  if (asOf === null) throw new BrokenBody(`the holdings are as of ${quoted(day)}, which is not a day`)
  if (asOf > today) throw new BrokenBody(`the holdings are as of ${asOf}, which is in the future`)
  return {
    asOf,
    sharesOutstanding: textOrNull(find(/shares outstanding|anteile im umlauf|umlaufende anteile/)),
  }
}

interface Row {
  readonly holding: EtfHolding
  /** In the currency of the fund. */
  readonly marketValue: DecimalText | null
}

function readRow(record: CsvRecord, columns: Columns, fund: Fund): Read<Row> {
  const text = (column: Parameters<Columns['cell']>[1]) => columns.cell(record, column)
  if (record.wrong !== undefined) return { wrong: record.wrong }
  const cells = record.cells.length
  if (cells !== columns.width) return { wrong: `has ${cells} cells, but the header has ${columns.width}` }
  const name = toPrintableName(text('name'))
  if (name === '') return { wrong: 'has no name' }
  const figures = readAll({
    weight: named('weight:', readLocalDecimal(text('weight'), columns.decimalMark, -2)),
    marketValue: named('market value:', readOptional(text('marketValue'), columns)),
    quantity: named('quantity:', readOptional(text('quantity'), columns)),
  })
  const valueCurrency = columns.valueCurrency(record) ?? baseCurrencyOf(fund)
  const assetCategory = toAssetCategory(textOrNull(text('assetClass')))
  return readOn(figures, ({ weight, marketValue, quantity }) => {
    const holding: EtfHolding = {
      name,
      ticker: toTicker(text('ticker')),
      mic: parseMic(marketCodeOf(text('exchange')) ?? ''),
      ...readHoldingIdentifiers({ isin: text('isin') }),
      weight,
      shares: isCountedInShares(assetCategory) ? quantity : null,
      marketValueUsd: valueCurrency === 'USD' ? marketValue : null,
      assetCategory,
      country: toCountryCode(textOrNull(text('location'))),
    }
    return { value: { holding, marketValue } }
  })
}

/** A cell that may have a placeholder for no value. */
function readOptional(text: string, { decimalMark }: Columns): Read<DecimalText | null> {
  return textOrNull(text) === null ? { value: null } : readLocalDecimal(text, decimalMark)
}

function factsOf(
  { asOf, sharesOutstanding }: Preamble,
  columns: Columns,
  fund: Fund,
  builder: ReportBuilder,
) {
  const shares = sharesOutstanding === null ? null : readLocalDecimal(sharesOutstanding, columns.decimalMark)
  if (shares !== null && 'wrong' in shares) throw new BrokenBody(`shares outstanding: ${shares.wrong}`)
  const outstanding = shares?.value ?? null
  return {
    assetId: fund.assetId,
    asOf,
    publishedAt: null,
    accession: null,
    isAmendment: false,
    netAssetsUsd: null,
    sharesOutstanding: outstanding,
    nav: navOf(outstanding, fund, builder),
    uninvestedCash: null,
  }
}

/** The market value of all rows per share of the fund; null if a value or a currency is unknown. */
function navOf(sharesOutstanding: DecimalText | null, fund: Fund, builder: ReportBuilder): Nav | null {
  const currency = baseCurrencyOf(fund)
  if (sharesOutstanding === null || currency === null) return null
  const shares = decimal(sharesOutstanding)
  if (shares.lessThanOrEqualTo(0) || builder.marketValue.lessThanOrEqualTo(0)) return null
  const value = builder.marketValue.dividedBy(shares).toDecimalPlaces(NAV_DECIMALS)
  return { value: decimalText(value), currency, isComputed: true }
}
