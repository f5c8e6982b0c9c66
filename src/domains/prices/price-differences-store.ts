import { addDays, toIsoDate } from '../../core/time.js'
import type { Sql } from '../../platform/database/database.js'
import { statement } from '../../platform/database/statement.js'
import type { DatasetFindings } from '../datasets/model.js'
import { isCurrentPreferredPrice, MAX_CLOSE_DIFFERENCE } from '../instruments/preferred-price-model.js'

const COMPARED_DAYS = 90

/** The newest ones are enough to see that a provider is wrong. */
const MAX_FINDINGS = 100

const DIFFERENCES = statement(
  'lacks join without a relation',
  { ticker: 'text', mic: 'text?', date: 'date', sources: '_text', difference: 'float8', total: 'int4' },
  `select i.ticker, i.mic, p.date, array[p.source, o.source] as sources,
     round(abs(o.close - p.close) / p.close, 6)::float8 as difference, count(*) over ()::int4 as total
   from daily_price as p
   join daily_price as o on o.instrument_id = p.instrument_id and o.date = p.date and o.source <> p.source
   join instrument as i on i.instrument_id = p.instrument_id
   where p.date >= $1::date and o.known_to is null and o.currency = p.currency and ${isCurrentPreferredPrice('p')}
     and abs(o.close - p.close) > p.close * ${MAX_CLOSE_DIFFERENCE}
   order by p.date desc, i.ticker, o.source limit ${MAX_FINDINGS}`,
)

/**
 * The days of the last 90 on which the close of a provider differs from that of the preferred one by more than
 * `MAX_CLOSE_DIFFERENCE`, the newest first. It reads the prices of all these days, which only a background task may do. It
 * returns no prices, because the terms of providers forbid passing them on.
 */
export async function loadPriceDifferences(sql: Sql, now: Date): Promise<DatasetFindings> {
  const rows = await sql.rows(DIFFERENCES, [addDays(toIsoDate(now), -COMPARED_DAYS)])
  const findings = rows.map(({ ticker, mic, date, sources, difference }) => ({
    subject: mic === null ? ticker : `${ticker} (${mic})`,
    ...{ date, sources, difference },
  }))
  return { findings, findingsTotal: rows[0]?.total ?? 0 }
}
