import type { AsOf } from '../../../core/as-of.js'
import { CANDLE } from '../../../generated/columns.js'
import { asOfStatement } from '../../../platform/bi-temporal/as-of-statement.js'
import { CANDLE_PUBLISHED } from '../../../platform/bi-temporal/published-rules.js'
import type { Sql } from '../../../platform/database/database.js'
import { only, selectList } from '../../../platform/database/statement.js'
import { unpackSources } from '../compact/packed-sources-model.js'
import type { StoredSource, WindowRange } from '../model.js'

const PART = only(CANDLE, 'ts', 'sources')

const selectParts = asOfStatement(
  'lacks computed value',
  PART,
  4,
  CANDLE_PUBLISHED,
  (known) => `
  select ${selectList(PART, 'c')} from candle as c
  where c.asset_id = $1::int and c.timeframe = $2::timeframe
    and c.ts >= $3::timestamptz and c.ts < $4::timestamptz and ${known('c')}`,
)

/**
 * By start of the window in milliseconds, the part of an exchange in the stored candles of an asset; null where the exchange has
 * no part in a candle. `asOf` selects what was known at that instant, null what is known now.
 */
export async function loadParts(
  sql: Sql,
  wanted: {
    readonly assetId: number
    readonly exchange: string
    readonly windows: WindowRange
    readonly asOf: AsOf | null
  },
): Promise<ReadonlyMap<number, StoredSource | null>> {
  const { assetId, exchange, windows, asOf } = wanted
  const rows = await selectParts(sql, [assetId, windows.timeframe, windows.first, windows.end], asOf)
  return new Map(
    rows.map(({ ts, sources }) => [
      ts.getTime(),
      unpackSources(sources).find(({ venue }) => venue === exchange) ?? null,
    ]),
  )
}
