import { Decimal, type DecimalText, decimal } from '../../core/decimal.js'
import { daysBetween, type IsoDate, parseIsoDate } from '../../core/time.js'
import { implausibleText, isPlausibleCount } from './share-counts-model.js'

/** The last closing price of a calendar month. */
export interface MonthlyClose {
  readonly date: IsoDate
  readonly close: DecimalText
  /** ISO 4217. */
  readonly currency: string
}

/** Shares outstanding, from the cover page of a report. */
export interface ShareCount {
  readonly date: IsoDate
  readonly count: DecimalText
}

/** The inputs of an average market capitalisation, both sorted by date. */
export interface MarketCapInputs {
  readonly closes: readonly MonthlyClose[]
  readonly shareCounts: readonly ShareCount[]
}

/** An average market capitalisation, or the reason why it is missing. */
export interface MarketCap {
  /** USD. */
  readonly average: Decimal | null
  /** First and last month, e.g. 2024-02 to 2026-01. */
  readonly period: string
  readonly reason: string | null
}

/** The inputs of the current market capitalisation. */
export interface LastMarketCapInputs {
  readonly price: MonthlyClose
  /** Sorted by date. */
  readonly shareCounts: readonly ShareCount[]
  /** First days after a split, a reverse split or a merger. */
  readonly changes: readonly IsoDate[]
}

/** A price times a number of shares, or the reason why it is missing. */
export interface LastMarketCap {
  readonly valueUsd: Decimal | null
  readonly reason: string | null
}

/** Months of the average, and how many of them must have a price and a share count. */
export const AVERAGE_MONTHS = 24
export const MIN_MONTHS = 23

/** Cover pages appear four times a year. A share count older than this is not used. */
export const MAX_COUNT_AGE_DAYS = 400

/** A newest price older than this is not current. The bound allows for prices that are imported once a month. */
export const MAX_PRICE_AGE_DAYS = 31

/**
 * If two consecutive counts differ by more than this factor, the shares were split or a company was taken over. It is then
 * unknown which count applies to a price between them.
 */
const MAX_COUNT_FACTOR = 1.5

/** The months of the average: the 24 calendar months that end with the month of that day. */
export function listAveragedMonths(lastDay: IsoDate): readonly string[] {
  const last = Number(lastDay.slice(0, 4)) * 12 + Number(lastDay.slice(5, 7)) - 1
  return Array.from({ length: AVERAGE_MONTHS }, (_, at) => {
    const month = last - AVERAGE_MONTHS + 1 + at
    return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`
  })
}

/** First and last day of the averaged prices. */
export function averagedDays(lastDay: IsoDate): { readonly first: IsoDate; readonly last: IsoDate } {
  const [month = ''] = listAveragedMonths(lastDay)
  const first = parseIsoDate(`${month}-01`)
  if (first === null) throw new RangeError(`the months before ${lastDay} are not valid dates`)
  return { first, last: lastDay }
}

/**
 * The mean over the months of the last closing price times the shares outstanding, which are those of the newest cover page
 * before the price. A month without both does not count. Fewer than 23 of 24 months give no average. `inputs` is null without
 * prices.
 */
export function averageMarketCap(lastDay: IsoDate, inputs: MarketCapInputs | null): MarketCap {
  const months = listAveragedMonths(lastDay)
  const period = `${months[0]} to ${months.at(-1)}`
  if (inputs === null) return { average: null, period, reason: 'there are no prices' }
  const { closes, shareCounts } = inputs
  const byMonth = new Map(closes.map((close) => [close.date.slice(0, 7), close]))
  const priced = months.flatMap((month) => byMonth.get(month) ?? [])
  const inDollars = priced.filter(({ currency }) => currency === 'USD')
  const values = inDollars.flatMap(({ date, close }) => {
    const count = findCountAt(date, shareCounts)
    return typeof count === 'string' ? [] : [decimal(close).times(count.count)]
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
 * The newest price times the shares outstanding on the newest cover page before it. Missing if the price is in another currency,
 * if no share count applies to its day, or if the shares were split or exchanged between the two. `inputs` is null without a
 * price.
 */
export function lastMarketCap(inputs: LastMarketCapInputs | null): LastMarketCap {
  const missing = (reason: string): LastMarketCap => ({ valueUsd: null, reason })
  if (inputs === null) return missing(`there is no price of the last ${MAX_PRICE_AGE_DAYS} days`)
  const { price, shareCounts, changes } = inputs
  if (price.currency !== 'USD') return missing(`the price is in ${price.currency}, not in USD`)
  const shares = findCountAt(price.date, shareCounts)
  if (typeof shares === 'string') return missing(shares)
  const change = changes.find((day) => day > shares.date && day <= price.date)
  if (change === undefined) return { valueUsd: decimal(price.close).times(shares.count), reason: null }
  return missing(`the shares were split or exchanged on ${change}, after they were counted on ${shares.date}`)
}

/** Shares outstanding on a day, or why the number is unknown. */
function findCountAt(day: IsoDate, counts: readonly ShareCount[]): ShareCount | string {
  const before = counts.filter(({ date }) => date <= day).at(-1)
  if (before === undefined || daysBetween(before.date, day) > MAX_COUNT_AGE_DAYS)
    return `no cover page of the ${MAX_COUNT_AGE_DAYS} days before ${day} states the number of ordinary shares`
  const count = decimal(before.count)
  if (count.lte(0)) return `the cover page of ${before.date} states ${before.count} shares`
  const earlier = countsBefore(before, counts)
  if (!isPlausibleCount(before.count, earlier)) return implausibleText(before.count, earlier)
  const after = counts.find((one) => one.date > day && isPlausibleCount(one.count, countsBefore(one, counts)))
  if (after === undefined) return before
  const factor = decimal(after.count).dividedBy(count)
  return factor.gt(MAX_COUNT_FACTOR) || factor.lt(1 / MAX_COUNT_FACTOR)
    ? `the number of shares changed from ${before.count} to ${after.count} between ${before.date} and ${after.date}`
    : before
}

function countsBefore({ date }: ShareCount, counts: readonly ShareCount[]): readonly DecimalText[] {
  return counts.filter((one) => one.date < date).map(({ count }) => count)
}
