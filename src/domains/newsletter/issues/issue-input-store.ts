import type { Frequency } from '../../../core/period.js'
import { addDays, DAY_MS } from '../../../core/time.js'
import { MACRO_OBSERVATION, MACRO_SERIES } from '../../../generated/columns.js'
import type { Sql } from '../../../platform/database/database.js'
import type { PrismaModels } from '../../../platform/database/prisma/prisma-models.js'
import { column, only, type RowIn, statement } from '../../../platform/database/statement.js'
import { MACRO_PROVIDERS } from '../../macro/model.js'
import type { IssueWeek } from './issue-week.js'

/** Consensus prices of an asset in USD, exact decimals as text; null without one. */
export interface PriceMove {
  readonly name: string
  readonly ticker: string
  readonly before: string | null
  readonly last: string | null
}

/** Number of assets by rank whose prices are compared. */
const MAX_ASSETS = 200

/**
 * Consensus prices of the last day of the week and of the week before, of crypto assets by rank; null without one.
 */
export async function loadPriceMoves(
  prisma: PrismaModels,
  { start, end }: IssueWeek,
): Promise<readonly PriceMove[]> {
  const [before, last] = [start, end].map((instant) => new Date(instant.getTime() - DAY_MS)) as [Date, Date]
  const assets = await prisma.asset.findMany({
    where: { assetClass: 'crypto' },
    orderBy: [{ tier: 'asc' }, { assetId: 'asc' }],
    take: MAX_ASSETS,
    select: { assetId: true, name: true, ticker: true },
  })
  const candles = await prisma.candle.findMany({
    where: {
      assetId: { in: assets.map(({ assetId }) => assetId) },
      timeframe: 'day',
      ts: { in: [before, last] },
      knownTo: null,
    },
    select: { assetId: true, ts: true, vwapUsd: true },
  })
  const priceAt = new Map(candles.map(({ assetId, ts, vwapUsd }) => [`${assetId} ${ts.getTime()}`, vwapUsd]))
  const priceOf = (assetId: number, day: Date) =>
    priceAt.get(`${assetId} ${day.getTime()}`)?.toFixed() ?? null
  return assets.map(({ assetId, name, ticker }) => ({
    name,
    ticker,
    before: priceOf(assetId, before),
    last: priceOf(assetId, last),
  }))
}

const RATES = statement(
  'lacks newest per key',
  { quote: 'text', before: 'numeric?', last: 'numeric?' },
  `select w.quote, b.rate as before, l.rate as last
   from unnest($1::text[]) with ordinality as w(quote, place)
   left join lateral (select f.rate from forex_rate as f where f.quote = w.quote::char(3) and f.known_to is null
     and f.date >= $2::date and f.date < $3::date order by f.date desc limit 1) as b on true
   left join lateral (select f.rate from forex_rate as f where f.quote = w.quote::char(3) and f.known_to is null
     and f.date >= $3::date and f.date <= $4::date order by f.date desc limit 1) as l on true
   order by w.place`,
)

/** Units of the currency per euro, exact decimals as text; null if not published. */
export type RateMove = RowIn<typeof RATES>

/** The most traded currencies (BIS triennial survey), against the euro. */
const CURRENCIES = ['USD', 'JPY', 'GBP', 'CNY', 'CHF', 'AUD', 'CAD', 'SEK']

/** Longest gap between two publications, at Easter and Christmas. */
const MAX_GAP_DAYS = 7

/** The last rates of the week and of the week before; null without one. */
export function loadRateMoves(sql: Sql, { monday, sunday }: IssueWeek): Promise<readonly RateMove[]> {
  return sql.rows(RATES, [CURRENCIES, addDays(monday, -MAX_GAP_DAYS), monday, sunday])
}

/** Number of series in an issue. */
const MAX_SERIES = 20

const NEWS = statement(
  'lacks newest per key',
  {
    ...only(MACRO_SERIES, 'provider', 'description', 'seriesKey', 'unit'),
    ...only(MACRO_OBSERVATION, 'periodStart', 'value'),
    frequency: column<Frequency>('text'),
  },
  `select s.provider, s.description, s.series_key as "seriesKey", s.unit, s.frequency,
     o.period_start as "periodStart", o.value
   from macro_series as s
   cross join lateral (
     select o.period_start, o.value, o.known_from from macro_observation as o
     where o.series_id = s.series_id and o.known_to is null and not o.is_withdrawn and o.value is not null
       and o.period_start < $3
     order by o.period_start desc limit 1
   ) as o
   where s.provider = any($1::text[]) and s.is_headline and not s.is_discontinued
     and o.known_from >= $2 and o.known_from < $3
   order by s.frequency = 'daily', o.period_start desc, s.provider, s.series_key limit $4`,
)

/** The newest value of a series of a central bank. */
export type SeriesNews = RowIn<typeof NEWS>

/** The series of central banks whose newest value became known in the week, those of days last, then newest periods first. */
export async function loadSeriesNews(
  sql: Sql,
  { start, end }: IssueWeek,
): Promise<{ readonly series: readonly SeriesNews[]; readonly hasMore: boolean }> {
  const found = await sql.rows(NEWS, [MACRO_PROVIDERS, start, end, MAX_SERIES + 1])
  return { series: found.slice(0, MAX_SERIES), hasMore: found.length > MAX_SERIES }
}
