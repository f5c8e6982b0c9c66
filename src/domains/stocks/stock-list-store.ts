import { decimal, toJsonNumber } from '../../core/decimal.js'
import type { Mic } from '../../core/identifiers.js'
import type { OffsetPage } from '../../core/page.js'
import type { Sql } from '../../platform/database/database.js'
import { orNull, statements } from '../../platform/database/statement.js'
import { type Condition, whereGiven } from '../../platform/database/where-given.js'
import type { FigureName } from '../filings/figures/figure-rules-model.js'
import type { FundamentalsPeriod } from '../filings/model.js'
import { LISTING_ROW, LISTING_SELECT } from '../instruments/listing-select-model.js'
import type { Listing } from '../instruments/model.js'

/** Filters and order of a list of stocks. Null means no filter, and the order of their keys. */
export interface StockFilter {
  readonly mic: Mic | null
  /** One of `GICS_SECTORS`. */
  readonly sector: string | null
  readonly order: StockOrder | null
}

/** The order by a figure of the latest period of each company. */
export interface StockOrder {
  readonly figure: FigureName
  readonly period: FundamentalsPeriod
  readonly isDescending: boolean
}

const COUNTED = (where: string) => `(
      select count(*)::int as total from instrument i join asset a on a.asset_id = i.asset_id
      where a.asset_class = 'stock' and ${where}
    ) as counted`

/** An empty page is a single row without a listing. */
const STOCKS = statements(
  'hot 3.3',
  { ...orNull(LISTING_ROW), total: 'int4' },
  (where: string) => `select counted.total, page.*
    from ${COUNTED(where)}
    left join lateral (
      select ${LISTING_SELECT} where a.asset_class = 'stock' and ${where} order by i.instrument_id limit $1 offset $2
    ) as page on true
    order by page."assetId", page.mic`,
  'true',
)

const SORTED_ROW = { ...LISTING_ROW, instrumentId: 'int4', value: 'numeric?', periodEnd: 'date?' } as const

// One read of the latest period of each company, which company_period_latest holds. Column and direction cannot be parameters.
const SORTED_STOCKS = statements(
  'lacks join without a relation',
  { ...orNull(SORTED_ROW), total: 'int4' },
  (figure: FigureName, direction: 'asc' | 'desc', where: string) => `select counted.total, page.*
    from ${COUNTED(where)}
    left join lateral (
      select i.instrument_id as "instrumentId", f.${figure} as value, f.period_end as "periodEnd", ${LISTING_SELECT}
      left join company_period f on f.cik = i.cik and f.period = $3 and f.is_latest
      where a.asset_class = 'stock' and ${where}
      order by f.${figure} ${direction} nulls last, i.instrument_id limit $1 offset $2
    ) as page on true
    order by page.value ${direction} nulls last, page."instrumentId"`,
  'revenue_usd',
  'desc',
  '$3::text is not null',
)

export interface StockPage {
  readonly stocks: readonly Listing[]
  /** Number of listings on all pages. */
  readonly total: number
}

/** A page of the listings of stocks, in one statement. Stocks with the same figure, or without one, are in the order of their keys. */
export async function loadStocks(
  sql: Sql,
  { mic, sector, order }: StockFilter,
  { limit, offset }: OffsetPage,
): Promise<StockPage> {
  const conditions: readonly Condition[] = [
    ['i.mic = ?', mic],
    ['i.sector_gics = ?', sector],
  ]
  if (order === null) {
    const { where, parameters } = whereGiven(conditions, 2)
    const rows = await sql.rows(STOCKS(where), [limit, offset, ...parameters])
    return { stocks: rows.filter(isListing), total: rows[0]?.total ?? 0 }
  }
  const { figure, period, isDescending } = order
  const { where, parameters } = whereGiven(conditions, 3)
  const text = SORTED_STOCKS(figure, isDescending ? 'desc' : 'asc', where)
  const rows = await sql.rows(text, [limit, offset, period, ...parameters])
  const stocks = rows.filter(isListing).map(({ value, periodEnd, ...listing }) => ({
    ...listing,
    sortFigure: { value: value === null ? null : toJsonNumber(decimal(value)), periodEnd },
  }))
  return { stocks, total: rows[0]?.total ?? 0 }
}

/** The columns of a listing are either all set or all null. */
function isListing<Row extends { readonly assetId: number | null }>(row: Row): row is Row & Listing {
  return row.assetId !== null
}
