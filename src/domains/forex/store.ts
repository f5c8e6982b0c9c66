import { type Decimal, decimal } from '../../core/decimal.js'
import { groupBy } from '../../core/group-by.js'
import { type IsoDate, toIsoDate } from '../../core/time.js'
import { FOREX_RATE } from '../../generated/columns.js'
import type { ForexRate } from '../../generated/prisma/client.js'
import { asOfStatement } from '../../platform/bi-temporal/as-of-statement.js'
import { asOfWhere } from '../../platform/bi-temporal/as-of-where.js'
import { removeSource } from '../../platform/bi-temporal/remove-source.js'
import { type SeriesTable, SOURCE_COLUMN, storedColumns } from '../../platform/bi-temporal/series-table.js'
import { stagedSeries } from '../../platform/bi-temporal/staged-series.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Sql, Transaction } from '../../platform/database/database.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import type { RowOf } from '../../platform/database/statement.js'
import type { Rate } from './model.js'

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
} satisfies SeriesTable<Rate>

/** Adds and revises rates. See `seriesWriter`. */
export const writeRates = seriesWriter<Rate>(RATES)

/** Adds and revises rates in slices that do not block other writers. See `stagedSeries`. */
export const stageRates = stagedSeries<Rate>(RATES)

/** Removes all rates of a source, closed ones too, and returns their number. */
export function removeRates(tx: Transaction, source: string): Promise<number> {
  return removeSource([tx.prisma.forexRate], source)
}

/** One row per currency with its rates in arrays is read three times faster than one row per rate. */
const selectRates = asOfStatement(
  'hot 2.6',
  {
    quote: 'bpchar',
    dates: '_date?',
    rates: '_float8?',
  },
  3,
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
  readonly asOf: Date | null
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

/** As `loadRates`, but with exact decimals and sources. A currency without rates is not in the map. */
export async function loadExactRates(
  prisma: PrismaModels,
  { quotes, from, to, asOf }: WantedRates,
): Promise<ReadonlyMap<string, readonly ExactRate[]>> {
  const rows = await prisma.forexRate.findMany({
    where: {
      quote: { in: [...quotes] },
      date: { gte: new Date(from), lte: new Date(to) },
      ...asOfWhere(asOf),
    },
    select: { quote: true, date: true, rate: true, source: true },
    orderBy: { date: 'asc' },
  })
  const exact = rows.map((row) => ({ ...row, date: toIsoDate(row.date), rate: decimal(row.rate) }))
  return groupBy(exact, ({ quote }) => quote)
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
export function loadCurrencies(sql: Sql, asOf: Date | null): Promise<readonly CurrencySpan[]> {
  return selectCurrencies(sql, [], asOf)
}
