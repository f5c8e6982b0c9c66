import { loadTickerContradictions } from '../../../domains/instruments/symbols/ticker-contradictions-store.js'
import type { Sql } from '../../../platform/database/database.js'
import type { Finished } from '../../feed.js'

/** For the ledger of a run: the tickers that two securities have on one market on the same day. */
export async function listRefusedTickers(sql: Sql): Promise<NonNullable<Finished['refused']>> {
  const found = await loadTickerContradictions(sql)
  return found.map(({ ticker, market, one, other }) => ({
    position: `${ticker} on ${market}`,
    reason: `${one} and ${other} have it on the same day; both are kept and marked, and one of them is wrong`,
  }))
}
