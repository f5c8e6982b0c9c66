import type { DecimalText } from '../../core/decimal.js'
import type { IsoDate } from '../../core/time.js'
import type { Sql } from '../../platform/database/database.js'
import { arraysOf, column, statement } from '../../platform/database/statement.js'
import { isCurrentPreferredPrice } from '../instruments/preferred-price-model.js'
import { type LastMarketCapInputs, MAX_COUNT_AGE_DAYS, MAX_PRICE_AGE_DAYS } from './market-cap-model.js'
import { FORMS_OF_ORDINARY_SHARES } from './model.js'
import { filerCiks, shareCounts } from './store.js'

/** A listing whose market capitalisation is requested. */
export interface CapitalKey {
  readonly assetId: number
  readonly ticker: string
  readonly mic: string | null
  readonly cik: string
}

// The newest price, the share counts before it and the splits. A listing without a recent price has no row.
const LAST_MARKET_CAPS = statement(
  'lacks newest per key',
  {
    number: 'int8',
    date: 'date',
    close: column<DecimalText>('text'),
    currency: 'text',
    countDates: '_date',
    counts: column<readonly DecimalText[]>('_text'),
    changes: '_date',
  },
  `select requested.number, p.date, trim_scale(p.close)::text as close, p.currency::text as currency,
     coalesce(c.dates, '{}') as "countDates", coalesce(c.counts, '{}') as counts, coalesce(s.days, '{}') as changes
   from unnest($1::int[], $2::text[], $3::text[], $4::text[]) with ordinality as requested(asset_id, ticker, mic, cik, number)
   cross join lateral (
     select d.date, d.close, d.currency from instrument as i join daily_price as d on d.instrument_id = i.instrument_id
     where i.asset_id = requested.asset_id and i.ticker = requested.ticker and i.mic is not distinct from requested.mic
       and d.date between $5::date - ${MAX_PRICE_AGE_DAYS} and $5::date and ${isCurrentPreferredPrice('d')}
     order by d.date desc limit 1
   ) as p
   cross join lateral (${filerCiks}
   ) as filer
   cross join lateral (${shareCounts('f.known_to is null and not f.is_withdrawn', '$6', 'p.date', 'p.date')}
   ) as c
   cross join lateral (
     select array_agg(a.ex_date order by a.ex_date) as days from corporate_action as a
     where a.asset_id = requested.asset_id and a.known_to is null and not a.is_withdrawn
       and a.action_type in ('split', 'reverse_split', 'merger') and a.ex_date <= p.date
       and a.ex_date > p.date - ${MAX_COUNT_AGE_DAYS}
   ) as s`,
)

/** The inputs of each market capitalisation, in the order of the list, in one statement. Null without a price. */
export async function loadLastMarketCaps(
  sql: Sql,
  keys: readonly CapitalKey[],
  today: IsoDate,
): Promise<readonly (LastMarketCapInputs | null)[]> {
  const rows = await sql.rows(LAST_MARKET_CAPS, [
    ...arraysOf(keys, 'assetId', 'ticker', 'mic', 'cik'),
    today,
    FORMS_OF_ORDINARY_SHARES,
  ])
  const found: (LastMarketCapInputs | null)[] = keys.map(() => null)
  for (const { number, date, close, currency, countDates, counts, changes } of rows) {
    const shareCounts = countDates.map((day, at) => ({ date: day, count: counts[at] as DecimalText })) // safe: both arrays have the same length
    found[number - 1] = { price: { date, close, currency }, shareCounts, changes }
  }
  return found
}
