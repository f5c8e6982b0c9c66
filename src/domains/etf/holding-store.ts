import type { Sql } from '../../platform/database/database.js'
import { column, type RowOf, selectList, statement } from '../../platform/database/statement.js'
import type { AssetCategory } from './model.js'

const HOLDING = {
  reportId: 'int8',
  position: 'int4',
  name: 'text',
  ticker: 'text?',
  mic: 'text?',
  isin: 'text?',
  figi: 'text?',
  lei: 'text?',
  weight: 'numeric',
  shares: 'numeric?',
  marketValueUsd: 'numeric?',
  // Written by EtfWriter alone.
  assetCategory: column<AssetCategory | null>('text?'),
  country: 'text?',
  unverified: '_text',
} as const

export type StoredHolding = RowOf<typeof HOLDING>

/** A page of the holdings of a report, the heaviest first. */
export interface HoldingsPage {
  readonly reportId: number
  readonly limit: number
  readonly offset: number
}

// Plain SQL: pages of several reports are one statement; a page is a range of the primary key, however far down it is.
const PAGES = statement(
  { place: 'int8', ...HOLDING },
  `select asked.place, ${selectList(HOLDING, 'h')}
   from unnest($1::int8[], $2::int[], $3::int[]) with ordinality as asked(report_id, first, last, place)
   join etf_holding h on h.report_id = asked.report_id and h.position between asked.first and asked.last
   order by asked.place, h.position`,
)

/** The page of each report, by its place in the list; one statement for all. */
export async function loadHoldings(
  sql: Sql,
  pages: readonly HoldingsPage[],
): Promise<readonly (readonly StoredHolding[])[]> {
  const rows = await sql.rows(PAGES, [
    pages.map(({ reportId }) => reportId),
    pages.map(({ offset }) => offset + 1),
    pages.map(({ offset, limit }) => offset + limit),
  ])
  const found: StoredHolding[][] = pages.map(() => [])
  for (const { place, ...holding } of rows) found[place - 1]?.push(holding)
  return found
}
