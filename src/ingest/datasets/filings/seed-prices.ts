import { addDays, type IsoDate, toIsoDate } from '../../../core/time.js'
import type { DailyPrice } from '../../../domains/filings/model.js'
import type { InstrumentFacts } from '../../../domains/instruments/model.js'
import type { StreamFeed } from '../../feed.js'
import { pricesFile } from '../../providers/operator/prices-file.js'
import { ETFS } from '../../providers/reference/etfs.js'
import { STOCKS } from '../../providers/reference/stocks.js'
import { seedProvider } from '../../seed/values/seed-provider.js'
import { weekdayBy } from '../../seed/values/weekday-by.js'
import { fundPrice } from '../etf/fund-levels.js'
import { companyLevel } from './company-levels.js'

/** The months of the average that ends with the last fiscal year of the seed. */
const YEARS_BACK = 3

const PRICED_STOCKS = STOCKS.filter(({ cik }) => cik !== null)
const PRICED_FUNDS = ETFS.filter(({ currency }) => currency === 'USD')
const PRICED = [...PRICED_STOCKS, ...PRICED_FUNDS]

/** Synthetic month-end prices, read by the parser of the operator's file. */
export const seedPrices: StreamFeed<DailyPrice> = {
  ...pricesFile(PRICED.map(({ assetId, ticker, mic }) => ({ instrumentId: assetId, ticker, mic }))),
  id: 'seed-prices',
  provider: seedProvider,
  description:
    'Synthetic closing prices at the ends of months for the stocks that have a CIK, and for funds in USD',
  cadence: 'each start in development',
}

/** The last weekday of each ended month, and yesterday. */
export function seedPricesBody(now: Date): Uint8Array {
  const lines = daysOf(now).flatMap((date) => [
    ...PRICED_STOCKS.map((stock) => lineOf(stock, date, companyLevel(stock.slug, date.slice(0, 7)))),
    ...PRICED_FUNDS.map((fund) => lineOf(fund, date, fundPrice(fund, date))),
  ])
  return new TextEncoder().encode(`ticker,mic,date,close,currency\n${lines.join('\n')}\n`)
}

function lineOf({ ticker, mic }: InstrumentFacts, date: IsoDate, close: number): string {
  return `${ticker},${mic ?? ''},${date},${close.toFixed(2)},USD`
}

function daysOf(now: Date): readonly IsoDate[] {
  const yesterday = addDays(toIsoDate(now), -1)
  const firstYear = now.getUTCFullYear() - YEARS_BACK
  const months = Array.from({ length: (YEARS_BACK + 1) * 12 }, (_, at) => {
    const next = new Date(Date.UTC(firstYear, at + 1, 1))
    return weekdayBy(addDays(toIsoDate(next), -1))
  })
  return [...new Set([...months.filter((day) => day < yesterday), weekdayBy(yesterday)])]
}
