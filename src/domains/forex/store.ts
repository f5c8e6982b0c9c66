import type { IsoDate } from '../../core/time.js'
import { knownAt } from '../../platform/database/bi-temporal.js'
import type { Sql, Transaction } from '../../platform/database/database.js'
import type { Rate } from './model.js'

/** A rate on its publication day; `rate` is the double nearest to the stored decimal. */
export interface DatedRate {
  readonly date: IsoDate
  readonly rate: number
}

/** First and last publication day of a currency. */
export interface CurrencySpan {
  readonly quote: string
  readonly firstDate: IsoDate
  readonly lastDate: IsoDate
}

/**
 * One statement per batch. Each rate finds the current row by an index lookup of its own and closes it by its
 * place: a plan that does not depend on statistics, which a bulk load has not got yet. The insert waits for the count
 * of closed rows, since two rows of one day may not both be current. A revision is known at least 1 ms after what it
 * revises, even if clocks differ.
 */
const WRITE_RATES = `
  with incoming as (
    select distinct on (quote, date) quote, date, rate from (
      select quote::char(3), date::date, rate::numeric(20, 8), place
      from unnest($1::text[], $2::text[], $3::text[]) with ordinality as given(quote, date, rate, place)
    ) as typed
    order by quote, date, place desc
  ), compared as (
    select incoming.*, existing.rate as known_rate, existing.ctid as place,
      greatest($4::timestamptz, existing.known_from + interval '1 millisecond') as known_at
    from incoming left join lateral (
      select f.rate, f.known_from, f.ctid from forex_rate as f
      where f.quote = incoming.quote and f.date = incoming.date and f.known_to is null limit 1
    ) as existing on true
  ), closed as (
    update forex_rate set known_to = greatest($4::timestamptz, known_from + interval '1 millisecond')
    where ctid = any(array(select place from compared where known_rate <> rate))
    returning 1
  ), written as (
    insert into forex_rate (quote, date, rate, known_from, source)
    select quote, date, rate, known_at, $5 from compared
    where (known_rate is null or known_rate <> rate) and (select count(*) from closed) >= 0
  )
  select count(*) filter (where known_rate is null)::int as added,
    count(*) filter (where known_rate <> rate)::int as revised,
    count(*) filter (where known_rate = rate)::int as unchanged
  from compared`

/**
 * Adds rates that are new and revises those whose value differs from the current one: that row is closed and
 * the new one added. Of two rates of one currency and day in a batch the last counts. Callers see to it that no two
 * transactions write at once (the run of a feed holds its dataset's lock).
 */
export async function writeRates(
  tx: Transaction,
  rates: readonly Rate[],
  known: { readonly knownAt: Date; readonly source: string },
): Promise<{ added: number; revised: number; unchanged: number }> {
  const [counts] = await tx.rows<{ added: number; revised: number; unchanged: number }>(WRITE_RATES, [
    rates.map((rate) => rate.quote),
    rates.map((rate) => rate.date),
    rates.map((rate) => rate.rate),
    known.knownAt,
    known.source,
  ])
  return counts ?? { added: 0, revised: 0, unchanged: 0 }
}

/** Removes all rates of a source, closed ones too, and says how many they were. */
export async function removeRates(tx: Transaction, source: string): Promise<number> {
  const [removed] = await tx.rows<{ count: number }>(
    `with removed as (delete from forex_rate where source = $1 returning 1)
     select count(*)::int as count from removed`,
    [source],
  )
  return removed?.count ?? 0
}

const SELECT_RATES = (asOf: string | null) => `
  select f.quote, f.date, f.rate::float8 as rate from forex_rate as f
  where f.quote = any($1::char(3)[]) and f.date between $2::date and $3::date and ${knownAt('f', asOf)}
  order by f.quote, f.date`

const RATES_NOW = SELECT_RATES(null)
const RATES_AS_OF = SELECT_RATES('$4')

/**
 * The rates of currencies from one day to another, both included, ordered by day; a currency without any maps to
 * an empty list. `asOf` gives what was known at that instant, null what is known now.
 */
export async function readRates(
  sql: Sql,
  wanted: {
    readonly quotes: readonly string[]
    readonly from: IsoDate
    readonly to: IsoDate
    readonly asOf: Date | null
  },
): Promise<ReadonlyMap<string, readonly DatedRate[]>> {
  const range = [wanted.quotes, wanted.from, wanted.to]
  const rows = await sql.rows<DatedRate & { quote: string }>(
    wanted.asOf === null ? RATES_NOW : RATES_AS_OF,
    wanted.asOf === null ? range : [...range, wanted.asOf],
  )
  const byQuote = new Map<string, DatedRate[]>(wanted.quotes.map((quote) => [quote, []]))
  for (const { quote, date, rate } of rows) byQuote.get(quote)?.push({ date, rate })
  return byQuote
}

/** Jumps from currency to currency through the index: its cost is the number of currencies, not of rates. */
const SELECT_CURRENCIES = (asOf: string | null) => `
  with recursive quotes as (
    (select f.quote from forex_rate as f where ${knownAt('f', asOf)} order by f.quote limit 1)
    union all
    select (select f.quote from forex_rate as f where f.quote > quotes.quote and ${knownAt('f', asOf)}
      order by f.quote limit 1)
    from quotes where quotes.quote is not null
  )
  select quotes.quote, first.date as "firstDate", last.date as "lastDate" from quotes
  cross join lateral (select f.date from forex_rate as f where f.quote = quotes.quote and ${knownAt('f', asOf)}
    order by f.date limit 1) as first
  cross join lateral (select f.date from forex_rate as f where f.quote = quotes.quote and ${knownAt('f', asOf)}
    order by f.date desc limit 1) as last
  order by quotes.quote`

const CURRENCIES_NOW = SELECT_CURRENCIES(null)
const CURRENCIES_AS_OF = SELECT_CURRENCIES('$1')

/** All currencies that have a rate, by code, with their first and last publication day. */
export function readCurrencies(sql: Sql, asOf: Date | null): Promise<readonly CurrencySpan[]> {
  return asOf === null
    ? sql.rows<CurrencySpan>(CURRENCIES_NOW)
    : sql.rows<CurrencySpan>(CURRENCIES_AS_OF, [asOf])
}

/** The newest publication day of any currency; null when there is no rate. */
export async function readLatestDate(sql: Sql): Promise<IsoDate | null> {
  const spans = await readCurrencies(sql, null)
  return spans.reduce<IsoDate | null>(
    (latest, { lastDate }) => (latest === null || lastDate > latest ? lastDate : latest),
    null,
  )
}
