import type { DecimalText } from '../../../core/decimal.js'
import { parseCurrencyCode } from '../../../core/identifiers.js'
import { PROVIDERS } from '../../../core/providers.js'
import { type IsoDate, toIsoDate } from '../../../core/time.js'
import type { EtfHolding, EtfRow, Fund } from '../../../domains/etf/model.js'
import { toCountryCode } from '../../bodies/countries/country-names.js'
import { toAssetCategory } from '../../bodies/etf/asset-categories.js'
import { type ParsedReport, ReportBuilder, rowsOfReport } from '../../bodies/etf/etf-report.js'
import { readHoldingIdentifiers, textOrNull } from '../../bodies/etf/holding-identifiers.js'
import {
  isJsonObject,
  isList,
  type Json,
  type JsonObject,
  jsonText,
  shown,
  textCell,
  wholeJson,
} from '../../bodies/json/json-body.js'
import { type DecimalMark, readLocalDecimal, toPrintableName } from '../../bodies/local-text.js'
import { named, type Read, readAll, readOn } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import { BrokenBody, type Feed, type ParseContext, quoted } from '../../feed.js'

/**
 * The holdings of a fund as Xtrackers publishes them each day. The body states no day, so null means the day of the
 * run.
 */
export function xtrackersHoldings(fund: Fund, asOf: IsoDate | null): Feed<EtfRow> {
  return {
    id: 'xtrackers',
    provider: PROVIDERS.xtrackers,
    dataset: 'etf',
    description: 'Holdings of an Xtrackers fund, from the JSON of its page',
    cadence: 'each business day',
    request: () =>
      fund.xtrackersUrl === null ? null : { url: fund.xtrackersUrl, headers: { accept: 'application/json' } },
    parse: (body, context) => rowsOfReport(parseXtrackersHoldings(body, fund, { ...context, asOf })),
  }
}

/** Labels of the columns in the three languages. */
const LABELS = {
  isin: /^isin$/i,
  name: /^(name|nom|bezeichnung)$/i,
  weight: /weight|gewicht|pond/i,
  marketValue: /market value|marktwert|valeur de march/i,
  country: /^(country|land|pays)$/i,
  assetClass: /asset class|anlageklasse|classe d.actifs/i,
} as const

type Column = keyof typeof LABELS

const COLUMNS = Object.keys(LABELS) as readonly Column[] // the keys of the table above

interface Table {
  readonly keys: ReadonlyMap<Column, string>
  readonly decimalMark: DecimalMark
  readonly rows: readonly Json[]
}

/** Reads the report of a body, whatever the sum of its weights. Throws BrokenBody for another body. */
export function parseXtrackersHoldings(
  body: Uint8Array,
  fund: Fund,
  { now, onRead, asOf }: ParseContext & { readonly asOf: IsoDate | null },
): ParsedReport {
  const { keys, decimalMark, rows } = readTable(body)
  const builder = new ReportBuilder()
  for (const [at, row] of rows.entries()) {
    builder.take(positionOf(row, keys, at), readRow(row, { keys, decimalMark }), { cells: jsonText(row) })
  }
  onRead(1)
  return builder.build({
    assetId: fund.assetId,
    asOf: asOf ?? toIsoDate(now),
    publishedAt: null,
    accession: null,
    isAmendment: false,
    netAssetsUsd: null,
    sharesOutstanding: null,
    nav: null,
    uninvestedCash: null,
  })
}

function readTable(body: Uint8Array): Table {
  const value = wholeJson(body)
  const tables = isJsonObject(value) ? value.get('tables') : undefined
  const table = isList(tables) && tables.length === 1 ? tables[0] : undefined
  if (!isJsonObject(table)) throw new BrokenBody('the body does not have exactly one table of holdings')
  const [columns, rows] = [table.get('columns'), table.get('values')]
  if (!isList(columns) || !isList(rows)) throw new BrokenBody('the table has no columns or no values')
  const labels = columns.flatMap((column): readonly (readonly [string, string])[] => {
    const [key, label] = isJsonObject(column) ? [column.get('key'), column.get('value')] : []
    return typeof key === 'string' && typeof label === 'string' ? [[label, key]] : []
  })
  const keys = new Map<Column, string>()
  for (const column of COLUMNS) {
    const label = LABELS[column]
    const found = labels.find(([text]) => label.test(text.trim()))
    if (found !== undefined) keys.set(column, found[1])
  }
  const missing = (['isin', 'name', 'weight'] as const).filter((column) => !keys.has(column))
  if (missing.length > 0) throw new BrokenBody(`the table has no column for ${missing.join(', ')}`)
  const isEnglish = labels.some(([label]) => /weight/i.test(label))
  return { keys, decimalMark: isEnglish ? 'point' : 'comma', rows }
}

type Keys = Table['keys']

function cellOf(row: Json, keys: Keys, column: Column): JsonObject {
  const found = isJsonObject(row) ? row.get(keys.get(column) ?? '') : undefined
  return isJsonObject(found) ? found : new Map()
}

function textOf(row: Json, keys: Keys, column: Column): string {
  return textCell(cellOf(row, keys, column), 'value')
}

function positionOf(row: Json, keys: Keys, at: number): string {
  return `row ${at + 1}, ${quoted(toPrintableName(textOf(row, keys, 'name')))}`
}

function readRow(row: Json, { keys, decimalMark }: Pick<Table, 'keys' | 'decimalMark'>): Read<EtfHolding> {
  if (!isJsonObject(row)) return { wrong: `is ${shown(row)}, not an object` }
  const text = (column: Column) => textOf(row, keys, column)
  const name = toPrintableName(text('name'))
  if (name === '') return { wrong: 'has no name' }
  const weight = readWeight(cellOf(row, keys, 'weight'), text('weight'), decimalMark)
  const marketValueUsd = readMarketValue(cellOf(row, keys, 'marketValue'), text('marketValue'))
  const isin = text('isin')
  const figures = { weight: named('weight:', weight), marketValueUsd: named('market value:', marketValueUsd) }
  return readOn(readAll(figures), (amounts) => ({
    value: {
      name,
      ticker: null,
      mic: null,
      // Cash rows have placeholder names, such as _CURRENCYUSD.
      ...readHoldingIdentifiers({ isin: isin.startsWith('_') ? null : isin }),
      ...amounts,
      shares: null,
      assetCategory: toAssetCategory(textOrNull(text('assetClass'))),
      country: toCountryCode(textOrNull(text('country'))),
    },
  }))
}

/** The number for sorting has all digits; the text is rounded and formatted for its language. */
function readWeight(cell: JsonObject, text: string, decimalMark: DecimalMark): Read<DecimalText> {
  const exact = cell.get('sortValue')
  if (typeof exact === 'string') return readDecimal(exact, -2)
  if (exact != null) return { wrong: `the value is ${shown(exact)}` }
  return readLocalDecimal(text.replace(/%$/, '').trimEnd(), decimalMark, -2)
}

/** In dollars only; the text after the number names the currency. */
function readMarketValue(cell: JsonObject, text: string): Read<DecimalText | null> {
  const exact = cell.get('sortValue')
  const currency = parseCurrencyCode(text.trim().slice(-3))
  if (currency !== 'USD' || exact == null) return { value: null }
  return typeof exact === 'string' ? readDecimal(exact) : { wrong: `the value is ${shown(exact)}` }
}
