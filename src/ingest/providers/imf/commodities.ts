import { PROVIDERS } from '../../../core/providers.js'
import type { CommodityPriceRow } from '../../../domains/commodities/model.js'
import { type CsvRecord, csvRecords } from '../../bodies/csv/csv.js'
import { MonthlyPrices, monthText } from '../../bodies/monthly-prices.js'
import { withoutContradicted } from '../../bodies/without-contradicted.js'
import { BrokenBody, type Feed, type ParseContext, type Parsed, quoted } from '../../feed.js'

import COLUMNS from './columns.json' with { type: 'json' }

/** A column of the IMF's table: the commodity, and the power of ten that converts its figures to USD. */
interface ImfColumn {
  readonly symbol: string
  readonly exponent: number
}

/** The price columns by heading. Beef, coffee, sugar and others are published in US cents: their exponent is -2. */
const IMF_COLUMNS: ReadonlyMap<string, ImfColumn> = new Map(
  COLUMNS.map(({ column, symbol, exponent }) => [column, { symbol, exponent }]),
)

/** Columns with index numbers, which are not prices. */
function isImfIndex(column: string): boolean {
  // The heading of the crude oil index does not say that it is an index.
  return column.endsWith('Index') || column === 'Crude Oil petroleum'
}

/** The table of primary commodity prices: one row per month, one column per commodity. */
export const imfCommodities: Feed<CommodityPriceRow> = {
  id: 'imf-commodities',
  provider: PROVIDERS.imf,
  dataset: 'commodities',
  description: `Monthly prices of ${IMF_COLUMNS.size} commodities from a wide table of the IMF`,
  cadence: 'by file only',
  fileNames: ['commodity-prices.csv'],
  parse: (body, context) => withoutContradicted(parseTable(body, context), monthText),
}

const DATE = 'Date'

/** Reads column by column, because the store looks up the months of a commodity in order. */
function* parseTable(body: Uint8Array, context: ParseContext): Generator<Parsed<CommodityPriceRow>> {
  const [header, ...records] = [...csvRecords(body, context.onRead)]
  const names = header?.cells ?? []
  assertTable(names)
  if (records.length === 0) throw new BrokenBody('the table has no rows')
  const prices = new MonthlyPrices(context)
  const readable: { readonly record: CsvRecord; readonly month: CommodityPriceRow['priceDate'] }[] = []
  for (const record of records) {
    const month = monthOf(record, names.length, prices)
    if ('wrong' in month) {
      context.onAbsent(names.length - 2)
      yield { kind: 'rejected', position: `line ${record.line}`, reason: month.wrong }
    } else readable.push({ record, month: month.value })
  }
  for (const [at, name] of names.entries()) {
    const column = IMF_COLUMNS.get(name)
    if (column === undefined) {
      if (name !== DATE) context.onAbsent(readable.length)
      if (name !== DATE && !isImfIndex(name))
        yield {
          kind: 'rejected',
          position: `column ${quoted(name)}`,
          reason: 'is not a known commodity',
        }
      continue
    }
    for (const { record, month } of readable) {
      const text = record.cells[at] ?? ''
      if (text === '') {
        context.onAbsent()
        continue
      }
      const position = `line ${record.line}, ${quoted(name)}`
      const price = prices.read({ position, month, text, ...column })
      if (price === null) context.onAbsent()
      else yield price
    }
  }
}

function assertTable(names: readonly string[]): void {
  if (names[0] !== DATE || !names.some((name) => IMF_COLUMNS.has(name))) {
    throw new BrokenBody(
      `the first line is not the header of the IMF's table: it begins with ${quoted(names.slice(0, 3).join())}`,
    )
  }
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new BrokenBody(`the header has the column ${quoted(twice)} twice`)
}

function monthOf({ cells }: CsvRecord, width: number, prices: MonthlyPrices) {
  if (cells.length !== width) return { wrong: `has ${cells.length} cells, but the header has ${width}` }
  return prices.month(cells[0] ?? '')
}
