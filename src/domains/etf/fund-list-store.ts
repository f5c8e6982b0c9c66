import type { Sql } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'
import { fundFactsOf } from './funds-model.js'
import type { Fund } from './model.js'

const FUNDS = statement(
  { assetId: 'int4', slug: 'text', ticker: 'text', isin: 'text?', cik: 'text?' },
  `select a.asset_id as "assetId", a.slug, i.ticker, i.isin, i.cik
   from asset a join instrument i on i.asset_id = a.asset_id
   where a.asset_class = 'etf' and i.is_primary order by a.asset_id, i.instrument_id`,
)

/** Every ETF of the masters with what is known of it, in the order of its key. */
export async function readFunds(sql: Sql): Promise<readonly Fund[]> {
  const rows = await sql.rows(FUNDS)
  return rows.map((row) => ({ ...row, ...fundFactsOf(row.slug) }))
}
