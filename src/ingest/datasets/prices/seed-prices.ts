import { orPreviousFriday } from '../../../core/calendars/days.js'
import { addDays, daysBetween, type IsoDate, toIsoDate } from '../../../core/time.js'
import type { InstrumentFacts } from '../../../domains/instruments/model.js'
import type { DailyPrice } from '../../../domains/prices/model.js'
import type { StreamFeed } from '../../feed.js'
import { pricesFile } from '../../providers/operator/prices-file.js'
import { ETFS, STOCKS } from '../../providers/reference/assets.js'
import { noise } from '../../seed/values/noise.js'
import { SEED_FEED, seedProvider } from '../../seed/values/seed-provider.js'
import { fundPrice } from '../etf/fund-levels.js'
import { companyLevel } from '../filings/company-levels.js'

/** The months of the average that ends with the last fiscal year of the seed. */
const YEARS_BACK = 3

/** Every weekday of so many days has prices, which is enough for a chart and a quarterly dividend. */
const DAILY_DAYS = 95

/** Largest distance of a price from the level of the month, and of high and low from open and close, as fractions. */
const DAILY_MOVE = 0.01
const DAILY_SPREAD = 0.006

const PRICED = [...STOCKS, ...ETFS]

/** Synthetic prices, read by the parser of the operator's file. */
export const seedPrices: StreamFeed<DailyPrice> = {
  ...pricesFile(
    PRICED.map(({ assetId, ticker, mic }) => ({ instrumentId: assetId, ticker, mic, exchange: null })),
    seedProvider.id,
  ),
  id: 'seed-prices',
  ...SEED_FEED,
  description: 'Synthetic prices at the ends of months, and of each weekday lately, for stocks and funds',
}

/** The last weekday of each ended month, and each weekday of the last three months. */
export function seedPricesBody(now: Date): Uint8Array {
  const lines = daysOf(now).flatMap((date) => [
    ...STOCKS.map((stock) => lineOf(stock, date, stockPrice(stock.slug, date))),
    ...ETFS.map((fund) => lineOf(fund, date, fundPrice(fund, date))),
  ])
  const header = 'ticker,mic,date,open,high,low,close,volume,currency'
  return new TextEncoder().encode(`${header}\n${lines.join('\n')}\n`)
}

/** The level of the month at its end. On other days about what lies between that and the level of the month before. */
function stockPrice(slug: string, date: IsoDate): number {
  const end = lastDayOfMonth(date)
  const level = companyLevel(slug, date.slice(0, 7))
  if (orPreviousFriday(end) === date) return level
  const daysLeft = daysBetween(date, end)
  const endBefore = addDays(end, -Number(end.slice(8)))
  const rest = (companyLevel(slug, endBefore.slice(0, 7)) - level) * (daysLeft / Number(end.slice(8)))
  return (level + rest) * (1 + DAILY_MOVE * (2 * noise(`${slug} ${date} close`) - 1))
}

/** The other prices and the volume depend on the listing and the day alone, as the close does. */
function lineOf({ slug, ticker, mic, currency }: InstrumentFacts, date: IsoDate, price: number): string {
  const key = `${slug} ${date}`
  const close = Number(price.toFixed(2))
  const open = Number((close * (1 + DAILY_SPREAD * (2 * noise(`${key} open`) - 1))).toFixed(2))
  const high = Math.max(open, close) * (1 + DAILY_SPREAD * noise(`${key} high`))
  const low = Math.min(open, close) * (1 - DAILY_SPREAD * noise(`${key} low`))
  const volume = Math.round(1_000_000 * (1 + 49 * noise(`${slug} volume`)) * (0.5 + noise(`${key} volume`)))
  const prices = [open, high, low, close].map((each) => each.toFixed(2))
  return [ticker, mic ?? '', date, ...prices, volume, currency].join(',')
}

function lastDayOfMonth(date: IsoDate): IsoDate {
  const [year = 0, month = 0] = date.split('-').map(Number)
  return toIsoDate(new Date(Date.UTC(year, month, 0)))
}

function daysOf(now: Date): readonly IsoDate[] {
  const yesterday = addDays(toIsoDate(now), -1)
  const firstYear = now.getUTCFullYear() - YEARS_BACK
  const months = Array.from({ length: (YEARS_BACK + 1) * 12 }, (_, at) =>
    orPreviousFriday(toIsoDate(new Date(Date.UTC(firstYear, at + 1, 0)))),
  )
  const lately = Array.from({ length: DAILY_DAYS }, (_, at) =>
    orPreviousFriday(addDays(yesterday, at + 1 - DAILY_DAYS)),
  )
  return [...new Set([...months.filter((day) => day < yesterday), ...lately])]
}
