import type { AsOf } from '../../core/as-of.js'
import { type Decimal, decimal } from '../../core/decimal.js'
import { groupBy } from '../../core/group-by.js'
import type { IsoDate } from '../../core/time.js'
import { FOREX_RATE } from '../../generated/columns.js'
import type { ForexRate } from '../../generated/prisma/client.js'
import { asOfStatement } from '../../platform/bi-temporal/as-of-statement.js'
import { FOREX_PUBLISHED, forexPublishedAt } from '../../platform/bi-temporal/published-rules.js'
import { sourceRemover } from '../../platform/bi-temporal/remove-source.js'
import { type SeriesTable, SOURCE_COLUMN, storedColumns } from '../../platform/bi-temporal/series-table.js'
import { stagedSeries } from '../../platform/bi-temporal/staged-series.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Sql } from '../../platform/database/database.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import { only, type RowOf, selectList, statement } from '../../platform/database/statement.js'
import { type Rate, type RateKey, rateKey } from './model.js'

/** A rate on its publication day. `rate` is the double nearest to the stored decimal. */
export interface DatedRate {
  readonly date: IsoDate
  readonly rate: number
}

const RATES = {
  name: 'forex_rate',
  key: storedColumns(FOREX_RATE, 'quote', 'date'),
  values: storedColumns(FOREX_RATE, 'rate'),
  notes: [SOURCE_COLUMN],
  // The ECB publishes in the afternoon; by 15:00 UTC at the latest.
  learnedAt: `(i.date + interval '15 hours') at time zone 'UTC'`,
} satisfies SeriesTable<Rate>

/** Adds and revises rates. See `seriesWriter`. */
export const writeRates = seriesWriter<Rate>(RATES)

/** Adds and revises rates in slices that do not block other writers. See `stagedSeries`. */
export const stageRates = stagedSeries<Rate>(RATES)

/** Removes all rates of a source, closed ones too, and returns their number. */
export const removeRates = sourceRemover(({ forexRate }) => [forexRate])

/** One row per currency with its rates in arrays is read three times faster than one row per rate. */
const selectRates = asOfStatement(
  'hot 2.6',
  {
    quote: 'bpchar',
    dates: '_date?',
    rates: '_float8?',
  },
  3,
  FOREX_PUBLISHED,
  (known) => `
  select wanted.quote, f.* from unnest($1::char(3)[]) as wanted(quote)
  cross join lateral (
    select array_agg(f.date) as dates, array_agg(f.rate::float8) as rates
    from (
      select f.date, f.rate from forex_rate as f
      where f.quote = wanted.quote and f.date between $2::date and $3::date and ${known('f')}
      order by f.date
    ) as f
  ) as f`,
)

/** Currencies and a range of days, both ends included. `asOf` null selects what is known now. */
interface WantedRates {
  readonly quotes: readonly string[]
  readonly from: IsoDate
  readonly to: IsoDate
  readonly asOf: AsOf | null
}

/**
 * The rates of currencies in a range of days, ordered by day. A currency without rates maps to an empty list. `asOf`
 * selects what was known at that instant, null what is known now.
 */
export async function loadRates(
  sql: Sql,
  wanted: WantedRates,
): Promise<ReadonlyMap<string, readonly DatedRate[]>> {
  const rows = await selectRates(sql, [wanted.quotes, wanted.from, wanted.to], wanted.asOf)
  return new Map(rows.map(({ quote, dates, rates }) => [quote, ratesOfRow(dates ?? [], rates ?? [])]))
}

function ratesOfRow(dates: readonly IsoDate[], rates: readonly number[]): readonly DatedRate[] {
  return dates.map((date, at) => ({ date, rate: rates[at] as number })) // safe: both arrays have one element per rate
}

/** A rate as the stored decimal, with its provider. */
export interface ExactRate {
  readonly quote: string
  readonly date: IsoDate
  readonly rate: Decimal
  readonly source: string
}

const EXACT_RATE = only(FOREX_RATE, 'quote', 'date', 'rate', 'source')

const selectExactRates = asOfStatement(
  'lacks computed value',
  EXACT_RATE,
  3,
  FOREX_PUBLISHED,
  (known) => `
  select ${selectList(EXACT_RATE, 'f')} from forex_rate as f
  where f.quote = any($1::char(3)[]) and f.date between $2::date and $3::date and ${known('f')}
  order by f.date`,
)

/** As `loadRates`, but with exact decimals and sources. A currency without rates is not in the map. */
export async function loadExactRates(
  sql: Sql,
  { quotes, from, to, asOf }: WantedRates,
): Promise<ReadonlyMap<string, readonly ExactRate[]>> {
  const rows = await selectExactRates(sql, [quotes, from, to], asOf)
  return groupBy(
    rows.map((row) => ({ ...row, rate: decimal(row.rate) })),
    ({ quote }) => quote,
  )
}

/** A current rate with the time from which it was known. */
export type KnownRate = Pick<ForexRate, 'quote' | 'date' | 'rate' | 'knownFrom'>

/** The current rates of currencies from a day on, unordered. */
export function loadKnownRates(
  prisma: PrismaModels,
  quotes: readonly string[],
  from: IsoDate,
): Promise<readonly KnownRate[]> {
  return prisma.forexRate.findMany({
    where: { quote: { in: [...quotes] }, date: { gte: new Date(from) }, knownTo: null },
    select: { quote: true, date: true, rate: true, knownFrom: true },
  })
}

const SPAN = { quote: 'bpchar', firstDate: 'date', lastDate: 'date' } as const

/** First and last publication day of a currency. */
export type CurrencySpan = RowOf<typeof SPAN>

/** Jumps from currency to currency in the index, so its cost depends on the number of currencies, not of rates. */
const selectCurrencies = asOfStatement(
  'lacks recursion',
  SPAN,
  0,
  FOREX_PUBLISHED,
  (known) => `
  with recursive quotes as (
    (select f.quote from forex_rate as f where ${known('f')} order by f.quote limit 1)
    union all
    select (select f.quote from forex_rate as f where f.quote > quotes.quote and ${known('f')}
      order by f.quote limit 1)
    from quotes where quotes.quote is not null
  )
  select quotes.quote, first.date as "firstDate", last.date as "lastDate" from quotes
  cross join lateral (select f.date from forex_rate as f where f.quote = quotes.quote and ${known('f')}
    order by f.date limit 1) as first
  cross join lateral (select f.date from forex_rate as f where f.quote = quotes.quote and ${known('f')}
    order by f.date desc limit 1) as last
  order by quotes.quote`,
)

/** All currencies with a rate, sorted by code, with their first and last publication day. */
export function loadCurrencies(sql: Sql, asOf: AsOf | null): Promise<readonly CurrencySpan[]> {
  return selectCurrencies(sql, [], asOf)
}

/** A correction of a rate is rare. Only the newest versions are returned. */
export const MAX_RATE_VERSIONS = 100

const RATE_VERSION = {
  quote: 'bpchar',
  date: 'date',
  rate: 'float8',
  knownFrom: 'timestamptz',
  knownTo: 'timestamptz?',
  publishedFrom: 'timestamptz?',
} as const

/** A version of a rate. `publishedFrom` is null for one that was replaced before it counted as published. */
export type RateVersion = RowOf<typeof RATE_VERSION>

const selectRateVersions = statement(
  'lacks computed value',
  RATE_VERSION,
  `
  select v.quote, v.date, v.rate::float8 as rate, v.known_from as "knownFrom", v.known_to as "knownTo",
    case when v.known_to <= v.published_from then null else v.published_from end as "publishedFrom"
  from (
    select f.quote, f.date, f.rate, f.known_from, case when f.known_to <= asked.at then f.known_to end as known_to,
      case when lag(f.known_from) over version is null then ${forexPublishedAt('f')}
        else greatest(f.known_from, ${forexPublishedAt('f')}) end as published_from,
      row_number() over (partition by f.quote, f.date order by f.known_from desc) as place
    from forex_rate as f, (select coalesce($3::timestamptz, 'infinity') as at) as asked
    where f.quote = any($1::char(3)[]) and f.date = any($2::date[]) and f.known_from <= asked.at
    window version as (partition by f.quote, f.date order by f.known_from)
  ) as v
  where v.place <= ${MAX_RATE_VERSIONS}
  order by v.known_from`,
)

/** The versions of each rate, oldest first, in the order of the list. `at` selects those that were known at that instant, null all. */
export async function loadRateVersions(
  sql: Sql,
  keys: readonly RateKey[],
  at: Date | null,
): Promise<readonly (readonly RateVersion[])[]> {
  const quotes = [...new Set(keys.map(({ quote }) => quote))]
  const dates = [...new Set(keys.map(({ date }) => date))]
  const rows = await sql.rows(selectRateVersions, [quotes, dates, at])
  const byKey = groupBy(rows, rateKey)
  return keys.map((key) => byKey.get(rateKey(key)) ?? [])
}
