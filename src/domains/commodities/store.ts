import type { AsOf } from '../../core/as-of.js'
import type { DayRange } from '../../core/day-range.js'
import { groupBy } from '../../core/group-by.js'
import type { OffsetPage } from '../../core/page.js'
import type { IsoDate } from '../../core/time.js'
import { COMMODITY_PRICE } from '../../generated/columns.js'
import { asOfStatement } from '../../platform/bi-temporal/as-of-statement.js'
import { sourceRemover } from '../../platform/bi-temporal/remove-source.js'
import {
  type Known,
  type SeriesTable,
  SOURCE_COLUMN,
  storedColumns,
} from '../../platform/bi-temporal/series-table.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Sql, Transaction } from '../../platform/database/database.js'
import { orNull, selectList } from '../../platform/database/statement.js'
import { type CommodityPrice, type CommodityPriceRow, PRICE_COLUMNS } from './model.js'

interface SourcedRow extends CommodityPriceRow {
  readonly source: string
}

const PRICES: SeriesTable<SourcedRow> = {
  name: 'commodity_price',
  key: [
    ...storedColumns(COMMODITY_PRICE, 'symbol', 'priceDate'),
    { name: SOURCE_COLUMN.name, type: SOURCE_COLUMN.type, of: ({ source }) => source },
  ],
  values: storedColumns(COMMODITY_PRICE, 'priceUsd'),
  notes: [],
  // The price of a month is an average.
  learnedAt: `(i.price_date + interval '1 month') at time zone 'UTC'`,
}

const writeRows = seriesWriter(PRICES)

/** Adds and revises prices of one source and leaves those of other sources. See `seriesWriter`. */
export function writeCommodityPrices(tx: Transaction, rows: readonly CommodityPriceRow[], known: Known) {
  const { source } = known
  return writeRows(
    tx,
    rows.map((row) => ({ ...row, source })),
    known,
  )
}

/** Removes all prices of a source, closed ones too, and returns their number. */
export const removeCommodityPrices = sourceRemover(({ commodityPrice }) => [commodityPrice])

const OF_PRICE = selectList(PRICE_COLUMNS, 'p')

// If two sources have a month, the World Bank wins: its id is the later one in alphabetical order.
const selectPrices = asOfStatement(
  'lacks newest per key',
  PRICE_COLUMNS,
  4,
  null,
  (known) => `
  select newest.* from unnest($1::text[]) as requested(symbol)
  cross join lateral (
    select distinct on (p.price_date) ${OF_PRICE} from commodity_price as p
    where p.symbol = requested.symbol and p.price_date between $2::date and $3::date and ${known('p')}
    order by p.price_date desc, p.source desc limit $4::int
  ) as newest
  order by newest.symbol, newest."priceDate"`,
)

/** A page of the prices of a commodity between two days. */
export interface PricePageRange extends OffsetPage {
  readonly from: IsoDate
  readonly to: IsoDate
  /** Null for what is known now. */
  readonly asOf: AsOf | null
}

/** A page of prices, oldest first, and the number of prices on all pages. */
export interface CommodityPricePage {
  readonly prices: readonly CommodityPrice[]
  readonly total: number
}

const selectPage = asOfStatement(
  'lacks page per key',
  { requested: 'text', total: 'int4', ...orNull(PRICE_COLUMNS) },
  5,
  null,
  (known) => `
  select requested.symbol as requested, counted.total, page.* from unnest($1::text[]) as requested(symbol)
  cross join lateral (
    select count(distinct p.price_date)::int as total from commodity_price as p
    where p.symbol = requested.symbol and p.price_date between $2::date and $3::date and ${known('p')}
  ) as counted
  left join lateral (
    select distinct on (p.price_date) ${OF_PRICE} from commodity_price as p
    where p.symbol = requested.symbol and p.price_date between $2::date and $3::date and ${known('p')}
    order by p.price_date, p.source desc limit $4::int offset $5::int
  ) as page on true
  order by requested.symbol, page."priceDate"`,
)

/** A page of the monthly prices of each symbol, by the symbol, in one statement. */
export async function loadCommodityPricePages(
  sql: Sql,
  symbols: readonly string[],
  { from, to, limit, offset, asOf }: PricePageRange,
): Promise<ReadonlyMap<string, CommodityPricePage>> {
  const rows = await selectPage(sql, [symbols, from, to, limit, offset], asOf)
  return new Map(
    [...groupBy(rows, ({ requested }) => requested)].map(([symbol, ofSymbol]) => [
      symbol,
      { total: ofSymbol[0].total, prices: ofSymbol.filter(isPrice) },
    ]),
  )
}

/** The columns of a price are all set, or all null on an empty page. */
function isPrice<Row extends { readonly priceDate: IsoDate | null }>(row: Row): row is Row & CommodityPrice {
  return row.priceDate !== null
}

/** The newest prices of each symbol within a range, one per month, oldest first, in one statement. */
export function loadCommodityPrices(
  sql: Sql,
  symbols: readonly string[],
  { from, to, limit, asOf }: DayRange,
): Promise<readonly CommodityPrice[]> {
  return selectPrices(sql, [symbols, from, to, limit], asOf)
}
