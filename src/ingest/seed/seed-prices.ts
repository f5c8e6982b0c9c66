import { addDays, type IsoDate, isoDateOf } from '../../core/time.js'
import type { DailyPrice } from '../../domains/filings/model.js'
import type { StreamFeed } from '../feed.js'
import { pricesFile } from '../providers/operator/prices-file.js'
import { ETFS } from '../providers/reference/etfs.js'
import { STOCKS } from '../providers/reference/stocks.js'
import { companyLevel } from './company-levels.js'
import { seedProvider } from './seed-provider.js'

/** The months of the average that ends with the last fiscal year of the seed, whenever in the year after that is asked. */
const YEARS_BACK = 3

const PRICED = [
  ...STOCKS.filter(({ cik }) => cik !== null),
  ...ETFS.filter(({ currency }) => currency === 'USD'),
]

/** Made-up prices at the ends of months, read by the parser of the operator's file. */
export const seedPrices: StreamFeed<DailyPrice> = {
  ...pricesFile(PRICED.map(({ assetId, ticker, mic }) => ({ instrumentId: assetId, ticker, mic }))),
  id: 'seed-prices',
  provider: seedProvider,
  description:
    'Made-up closing prices at the ends of months for the stocks that have a CIK, and for funds in USD',
  cadence: 'each start in development',
}

/** The last weekday of each month that has ended, and yesterday. */
export function seedPricesBody(now: Date): Uint8Array {
  const lines = daysOf(now).flatMap((date) =>
    PRICED.map(({ slug, ticker, mic }) => {
      const close = companyLevel(slug, date.slice(0, 7)).toFixed(2)
      return `${ticker},${mic ?? ''},${date},${close},USD`
    }),
  )
  return new TextEncoder().encode(`ticker,mic,date,close,currency\n${lines.join('\n')}\n`)
}

function daysOf(now: Date): readonly IsoDate[] {
  const yesterday = addDays(isoDateOf(now), -1)
  const firstYear = now.getUTCFullYear() - YEARS_BACK
  const months = Array.from({ length: (YEARS_BACK + 1) * 12 }, (_, at) => {
    const next = new Date(Date.UTC(firstYear, at + 1, 1))
    return weekdayBy(addDays(isoDateOf(next), -1))
  })
  return [...new Set([...months.filter((day) => day < yesterday), weekdayBy(yesterday)])]
}

/** The day itself, or the Friday before it. */
function weekdayBy(day: IsoDate): IsoDate {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return addDays(day, weekday === 0 ? -2 : weekday === 6 ? -1 : 0)
}
