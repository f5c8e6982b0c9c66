import { Decimal, type DecimalText, decimal } from '../../core/decimal.js'
import { daysBetween, type IsoDate, parseIsoDate } from '../../core/time.js'

/** The last closing price of a calendar month. */
export interface MonthlyClose {
  readonly date: IsoDate
  readonly close: DecimalText
  /** ISO 4217. */
  readonly currency: string
}

/** Shares outstanding as the cover page of a report states them. */
export interface ShareCount {
  readonly date: IsoDate
  readonly count: DecimalText
}

/** What a market capitalisation is averaged from; both by date. */
export interface MarketCapInputs {
  readonly closes: readonly MonthlyClose[]
  readonly shareCounts: readonly ShareCount[]
}

/** An average market capitalisation, or why there is none. */
export interface MarketCap {
  /** USD. */
  readonly average: Decimal | null
  /** First and last month, e.g. 2024-02 to 2026-01. */
  readonly period: string
  readonly reason: string | null
}

/** What the market capitalisation of now is made from. */
export interface LastMarketCapInputs {
  /** The newest price. */
  readonly price: MonthlyClose
  /** By date. */
  readonly shareCounts: readonly ShareCount[]
  /** First days after a split, a reverse split or a merger. */
  readonly changes: readonly IsoDate[]
}

/** A price times a number of shares. */
export interface LastMarketCap {
  readonly valueUsd: Decimal
  readonly priceDate: IsoDate
}

/** Months of the average, and how many of them must have a price and a share count. */
export const AVERAGE_MONTHS = 24
export const MIN_MONTHS = 23

/** Cover pages come four times a year; an older count is no longer that of the month. */
export const MAX_COUNT_AGE_DAYS = 400

/** The newest price of a listing is no longer that of now; long enough for prices that are imported once a month. */
export const MAX_PRICE_AGE_DAYS = 31

/**
 * Between two counts that differ by more than that factor the shares were split, or a company was taken over: nobody knows
 * which count is that of a price in between.
 */
const MAX_COUNT_FACTOR = 1.5

/** The months of the average: the 24 calendar months that end with the one of that day. */
export function averagedMonths(lastDay: IsoDate): readonly string[] {
  const last = Number(lastDay.slice(0, 4)) * 12 + Number(lastDay.slice(5, 7)) - 1
  return Array.from({ length: AVERAGE_MONTHS }, (_, at) => {
    const month = last - AVERAGE_MONTHS + 1 + at
    return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`
  })
}

/** First and last day whose prices count. */
export function averagedDays(lastDay: IsoDate): { readonly first: IsoDate; readonly last: IsoDate } {
  const [month = ''] = averagedMonths(lastDay)
  const first = parseIsoDate(`${month}-01`)
  if (first === null) throw new RangeError(`no days are known before ${lastDay}`)
  return { first, last: lastDay }
}

/**
 * The mean of the last closing price of each month times the shares outstanding then: the count of the newest cover page
 * before it. A month without both does not count; fewer than 23 of 24 give no average. `inputs` null: there are none.
 */
export function averageMarketCap(lastDay: IsoDate, inputs: MarketCapInputs | null): MarketCap {
  const months = averagedMonths(lastDay)
  const period = `${months[0]} to ${months.at(-1)}`
  if (inputs === null) return { average: null, period, reason: 'there are no prices' }
  const { closes, shareCounts } = inputs
  const byMonth = new Map(closes.map((close) => [close.date.slice(0, 7), close]))
  const priced = months.flatMap((month) => byMonth.get(month) ?? [])
  const inDollars = priced.filter(({ currency }) => currency === 'USD')
  const values = inDollars.flatMap(({ date, close }) => {
    const count = countAt(date, shareCounts)
    return count === null ? [] : [decimal(close).times(count.count)]
  })
  if (values.length >= MIN_MONTHS) {
    const sum = values.reduce((total, value) => total.plus(value), new Decimal(0))
    return { average: sum.dividedBy(values.length), period, reason: null }
  }
  const found = `${priced.length} have a price, ${inDollars.length} one in USD, ${values.length} a share count with it`
  const reason = `of the ${AVERAGE_MONTHS} months ${period} ${found}; ${MIN_MONTHS} are needed`
  return { average: null, period, reason }
}

/**
 * The newest price times the shares outstanding by the newest cover page before it. Null for a price in another currency,
 * without a share count that is that of the day of the price, and where the shares were split or exchanged between the two.
 */
export function lastMarketCap({ price, shareCounts, changes }: LastMarketCapInputs): LastMarketCap | null {
  if (price.currency !== 'USD') return null
  const shares = countAt(price.date, shareCounts)
  if (shares === null || changes.some((day) => day > shares.date && day <= price.date)) return null
  return { valueUsd: decimal(price.close).times(shares.count), priceDate: price.date }
}

/** Shares outstanding on that day; null where it is not known. */
function countAt(day: IsoDate, counts: readonly ShareCount[]): ShareCount | null {
  const before = counts.filter(({ date }) => date <= day).at(-1)
  if (before === undefined || daysBetween(before.date, day) > MAX_COUNT_AGE_DAYS) return null
  const count = decimal(before.count)
  if (count.lte(0)) return null
  const after = counts.find(({ date }) => date > day)
  if (after === undefined) return before
  const factor = decimal(after.count).dividedBy(count)
  return factor.gt(MAX_COUNT_FACTOR) || factor.lt(1 / MAX_COUNT_FACTOR) ? null : before
}
