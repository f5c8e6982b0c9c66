import { ETF_HOLDING } from '../../generated/columns.js'
import type { Sql } from '../../platform/database/database.js'
import { type RowOf, selectList, statement } from '../../platform/database/statement.js'

export type StoredHolding = RowOf<typeof ETF_HOLDING>

/** A page of the holdings of a report, the heaviest first. */
export interface HoldingsPage {
  readonly reportId: number
  readonly limit: number
  readonly offset: number
}

// A page is a range of the primary key, so a late page costs no more than the first.
const PAGES = statement(
  'lacks page per key',
  { number: 'int8', ...ETF_HOLDING },
  `select requested.number, ${selectList(ETF_HOLDING, 'h')}
   from unnest($1::int8[], $2::int[], $3::int[]) with ordinality as requested(report_id, first, last, number)
   join etf_holding h on h.report_id = requested.report_id
     and h.position between requested.first and requested.last
   order by requested.number, h.position`,
)

/** The page of each report, in the order of the list, in one statement. */
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
  for (const { number, ...holding } of rows) found[number - 1]?.push(holding)
  return found
}
