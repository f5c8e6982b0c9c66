import { orPreviousFriday } from '../../../core/calendars/days.js'
import { Decimal } from '../../../core/decimal.js'
import { daysBetween, type IsoDate, parseIsoDate } from '../../../core/time.js'
import type { InstrumentFacts } from '../../../domains/instruments/model.js'
import { noise } from '../../seed/values/noise.js'
import { seedUsdPer } from '../forex/seed-forex.js'

/** The day of the base level. */
const EPOCH = parseIsoDate('2020-01-01')

const YEAR_DAYS = 365.25

/** The yearly rise and the largest daily move of a fund's value, as fractions. */
const YEARLY_RISE = 0.06
const DAILY_MOVE = 0.02

/** Largest distance of a closing price from the value of a unit, as a fraction. */
const PREMIUM = 0.003

type Fund = Pick<InstrumentFacts, 'ticker' | 'currency'>

export interface FundLevels {
  /** Value of a unit in the fund's currency, two decimals. */
  readonly nav: Decimal
  /** Units outstanding. */
  readonly units: number
  /** `nav` times `units`, in USD, two places. */
  readonly assets: Decimal
}

/** The synthetic size of a fund on a day; always the same for the same day. */
export function fundLevels(fund: Fund, day: IsoDate): FundLevels {
  const { ticker, currency } = fund
  const nav = new Decimal(navOf(ticker, day).toFixed(2))
  const millions = 1_000 * (1 + 400 * noise(`${ticker} assets`) ** 3)
  const units = Math.round(millions / (40 + 500 * noise(`${ticker} nav`))) * 1_000_000
  const assets = nav.times(units).times(currency === 'USD' ? 1 : seedUsdPer(currency, day))
  return { nav, units, assets: assets.toDecimalPlaces(2) }
}

/**
 * Synthetic closing price of a unit on a day in the fund's currency, within a few tenths of a per cent of its
 * value.
 */
export function fundPrice({ ticker }: Fund, day: IsoDate): number {
  const premium = PREMIUM * (2 * noise(`${ticker} ${day} premium`) - 1)
  return Number((navOf(ticker, day) * (1 + premium)).toFixed(2))
}

/** On a weekend, the value of the Friday before. */
function navOf(ticker: string, onDay: IsoDate): number {
  const day = orPreviousFriday(onDay)
  const years = EPOCH === null ? 0 : daysBetween(EPOCH, day) / YEAR_DAYS
  const level = 40 + 500 * noise(`${ticker} nav`)
  return level * (1 + YEARLY_RISE) ** years * (1 + DAILY_MOVE * (noise(`${ticker} ${day}`) - 0.5))
}
