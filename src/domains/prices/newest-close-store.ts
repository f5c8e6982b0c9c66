import type { AsOf } from '../../core/as-of.js'
import type { IsoDate } from '../../core/time.js'
import { DAILY_PRICE } from '../../generated/columns.js'
import { asOfStatement } from '../../platform/bi-temporal/as-of-statement.js'
import { PRICE_PUBLISHED } from '../../platform/bi-temporal/published-rules.js'
import type { Sql } from '../../platform/database/database.js'
import { only, type RowOf, selectList } from '../../platform/database/statement.js'
import { isPreferredPrice } from '../instruments/preferred-price-model.js'
import { LISTED, listingColumns, type PricedKey } from './series-store.js'

const CLOSE = only(DAILY_PRICE, 'close', 'currency', 'date', 'source')

/** The newest closing price of a listing. */
export type NewestClose = RowOf<typeof CLOSE>

const NEWEST = asOfStatement(
  'lacks newest per key',
  { number: 'int8', ...CLOSE },
  4,
  PRICE_PUBLISHED,
  (known) => `select requested.number, newest.*
    from ${LISTED}
    cross join lateral (
      select ${selectList(CLOSE, 'd')} from daily_price as d
      where d.instrument_id = n.instrument_id and d.date <= coalesce($4::date, 'infinity') and ${known('d')}
        and ${isPreferredPrice('d', known)}
      order by d.date desc limit 1
    ) as newest
    order by requested.number`,
)

/** The last trading day that counts, and the instant at which a price must have been known. Null: any day, and now. */
export interface CloseAsOf {
  readonly day: IsoDate | null
  readonly knownAt: AsOf | null
}

/** The newest close of each listing in the order of the list, in one statement. Null without a price. */
export async function loadNewestCloses(
  sql: Sql,
  keys: readonly PricedKey[],
  { day, knownAt }: CloseAsOf,
): Promise<readonly (NewestClose | null)[]> {
  const rows = await NEWEST(sql, [...listingColumns(keys), day], knownAt)
  const byNumber = new Map(rows.map(({ number, ...close }) => [number, close]))
  return keys.map((_, at) => byNumber.get(at + 1) ?? null)
}
