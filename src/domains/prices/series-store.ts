import type { AsOf } from '../../core/as-of.js'
import type { DecimalText } from '../../core/decimal.js'
import type { IsoDate } from '../../core/time.js'
import { asOfStatement } from '../../platform/bi-temporal/as-of-statement.js'
import { PRICE_PUBLISHED } from '../../platform/bi-temporal/published-rules.js'
import type { Sql } from '../../platform/database/database.js'
import { column, orNull, type RowOf } from '../../platform/database/statement.js'
import { isPreferredPrice } from '../instruments/preferred-price-model.js'
import { isNotRepeated } from '../stocks/dividend-sum-model.js'
import {
  MAX_PRIOR_CLOSE_DAYS,
  type PriceAction,
  type PricedAction,
  type PriorClose,
} from './adjustment-model.js'

/** The listing whose prices are requested. */
export interface PricedKey {
  readonly assetId: number
  readonly ticker: string
  readonly mic: string | null
}

/** A part of a series, both days included. `asOf` selects what was known at that instant, null what is known now. */
export interface PriceRange {
  readonly from: IsoDate
  readonly to: IsoDate
  readonly limit: number
  readonly offset: number
  readonly asOf: AsOf | null
}

const PRICE = {
  date: 'date',
  open: 'float8?',
  high: 'float8?',
  low: 'float8?',
  close: column<DecimalText>('text'),
  volume: 'float8?',
  currency: 'text',
  source: 'text',
  sources: '_text',
  knownFrom: 'timestamptz',
} as const

/** The prices of a day by its preferred provider; the close is exact. `sources` are all providers that state the day. */
export type StoredPrice = RowOf<typeof PRICE>

/** A page of prices, oldest first, the number of rows on all pages, and the newest day with a price of the whole series. */
export interface PricePage {
  readonly prices: readonly StoredPrice[]
  readonly total: number
  readonly newestDay: IsoDate | null
}

/**
 * SQL: the listings of `listingColumns`, each with its `number` in the list. A former ticker, which a caller with a clock names, is
 * that of the primary listing on the market.
 */
export const LISTED = `unnest($1::int[], $2::text[], $3::text[]) with ordinality as requested(asset_id, ticker, mic, number)
    join instrument as n on n.asset_id = requested.asset_id and n.mic is not distinct from requested.mic
      and (n.ticker = requested.ticker or n.is_primary and not exists (
        select 1 from instrument as own where own.asset_id = requested.asset_id and own.ticker = requested.ticker
          and own.mic is not distinct from requested.mic))`

const PRICES = asOfStatement(
  'lacks page per key',
  { number: 'int8', total: 'int4', newestDay: 'date?', ...orNull(PRICE) },
  7,
  PRICE_PUBLISHED,
  (known) => `select requested.number, counted.total, newest.date as "newestDay", page.*
    from ${LISTED}
    cross join lateral (
      select count(distinct d.date)::int as total from daily_price as d
      where d.instrument_id = n.instrument_id and d.date between $4::date and $5::date and ${known('d')}
    ) as counted
    left join lateral (
      select d.date from daily_price as d where d.instrument_id = n.instrument_id and ${known('d')}
      order by d.date desc limit 1
    ) as newest on true
    left join lateral (
      select d.date, d.open::float8 as open, d.high::float8 as high, d.low::float8 as low,
        trim_scale(d.close)::text as close, d.volume::float8 as volume, d.currency::text as currency, d.source,
        array(
          select a.source from daily_price as a where a.instrument_id = d.instrument_id and a.date = d.date and ${known('a')}
        ) as sources, d.known_from as "knownFrom"
      from daily_price as d
      where d.instrument_id = n.instrument_id and d.date between $4::date and $5::date and ${known('d')}
        and ${isPreferredPrice('d', known)}
      order by d.date limit $6 offset $7
    ) as page on true
    order by requested.number, page.date`,
)

/** The page of each listing, in the order of the list, in one statement. */
export async function loadPricePages(
  sql: Sql,
  keys: readonly PricedKey[],
  { from, to, limit, offset, asOf }: PriceRange,
): Promise<readonly PricePage[]> {
  const rows = await PRICES(sql, [...listingColumns(keys), from, to, limit, offset], asOf)
  const pages = keys.map(() => ({ prices: [] as StoredPrice[], total: 0, newestDay: null as IsoDate | null }))
  for (const { number, total, newestDay, ...price } of rows) {
    const page = pages[number - 1]
    if (page === undefined) continue
    Object.assign(page, { total, newestDay })
    if (isPrice(price)) page.prices.push(price)
  }
  return pages
}

/** The columns of a price are either all set or all null, except those that may be unknown. */
function isPrice(row: { readonly date: IsoDate | null }): row is StoredPrice {
  return row.date !== null
}

/** Actions between two days, the first excluded. */
export interface ActionRange {
  readonly after: IsoDate
  readonly to: IsoDate
  readonly asOf: AsOf | null
}

/** An action with its provider, and the last close before its ex-date if it is a dividend. */
export interface StoredAction extends PriceAction {
  readonly source: string
  readonly prior: PriorClose | null
}

/** More actions of one listing are refused by the service; a stock with a dividend each week has 520 in ten years. */
export const MAX_ACTIONS = 1_000

const ACTION = {
  number: 'int8',
  actionType: column<PricedAction>('text'),
  exDate: 'date',
  ratio: column<DecimalText | null>('text?'),
  amount: column<DecimalText | null>('text?'),
  currency: 'text?',
  source: 'text',
  priorClose: column<DecimalText | null>('text?'),
  priorCurrency: 'text?',
} as const

// Corporate actions and dividends, each dividend with the close before it.
const ACTIONS = asOfStatement(
  'lacks page per key',
  ACTION,
  6,
  null,
  (known) => `select requested.number, e."actionType", e."exDate", trim_scale(e.ratio)::text as ratio,
      trim_scale(e.amount)::text as amount, e.currency, e.source, trim_scale(p.close)::text as "priorClose",
      p.currency::text as "priorCurrency"
    from ${LISTED}
    cross join lateral (
      select a.action_type::text as "actionType", a.ex_date as "exDate",
        case when a.action_type = 'spin_off' then a.value_ratio else a.ratio end as ratio, null::numeric as amount,
        null::text as currency, a.source
      from corporate_action as a
      where a.asset_id = requested.asset_id and a.ex_date > $4::date and a.ex_date <= $5::date
        and not a.is_withdrawn and ${known('a')}
      union all
      select 'dividend', v.ex_date, null, v.amount, v.currency, v.source from dividend as v
      where v.asset_id = requested.asset_id and v.ex_date > $4::date and v.ex_date <= $5::date
        and not v.is_withdrawn and ${known('v')} and ${isNotRepeated('v', known)}
      order by "exDate" desc limit $6
    ) as e
    left join lateral (
      select d.close, d.currency from daily_price as d
      where e."actionType" = 'dividend' and d.instrument_id = n.instrument_id and d.date < e."exDate"
        and d.date >= e."exDate" - ${MAX_PRIOR_CLOSE_DAYS} and ${known('d')} and ${isPreferredPrice('d', known)}
      order by d.date desc limit 1
    ) as p on true
    order by requested.number, e."exDate" desc, e."actionType", e.amount`,
)

/** The actions of each listing, newest first, at most MAX_ACTIONS and one more, in one statement. */
export async function loadPriceActions(
  sql: Sql,
  keys: readonly PricedKey[],
  { after, to, asOf }: ActionRange,
): Promise<readonly (readonly StoredAction[])[]> {
  const rows = await ACTIONS(sql, [...listingColumns(keys), after, to, MAX_ACTIONS + 1], asOf)
  const found: StoredAction[][] = keys.map(() => [])
  for (const { number, priorClose, priorCurrency, ...action } of rows) {
    const prior =
      priorClose === null || priorCurrency === null ? null : { close: priorClose, currency: priorCurrency }
    found[number - 1]?.push({ ...action, prior })
  }
  return found
}

/** The parameters of `LISTED`. */
export function listingColumns(keys: readonly PricedKey[]) {
  return [keys.map(({ assetId }) => assetId), keys.map(({ ticker }) => ticker), keys.map(({ mic }) => mic)]
}
