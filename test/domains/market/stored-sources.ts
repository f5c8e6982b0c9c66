import { unpackSources } from '../../../src/domains/market/compact/packed-sources-model.js'
import type { StoredSource } from '../../../src/domains/market/model.js'
import type { Sql } from '../../../src/platform/database/database.js'

/** The sources of the candles `c` of a condition, in the order of their windows. */
export async function loadSources(
  sql: Sql,
  condition: string,
): Promise<readonly (readonly StoredSource[])[]> {
  const rows = await sql.rows<{ readonly sources: Buffer }>(
    `select c.sources from candle as c where ${condition} order by c.ts, c.timeframe`,
  )
  return rows.map(({ sources }) => unpackSources(sources))
}
