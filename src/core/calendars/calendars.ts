import { XNAS, XNYS } from './americas.js'
import { XASX, XHKG, XTKS } from './asia-pacific.js'
import { XETR, XLON, XPAR, XSTO, XSWX } from './europe.js'
import { TARGET } from './target.js'
import type { TradingCalendar } from './trading-calendar.js'

/** Every calendar, TARGET first, then the exchanges by code. */
export const CALENDARS: readonly TradingCalendar[] = [
  TARGET,
  XASX,
  XETR,
  XHKG,
  XLON,
  XNAS,
  XNYS,
  XPAR,
  XSTO,
  XSWX,
  XTKS,
]

const byCode = new Map(CALENDARS.map((calendar) => [calendar.code, calendar]))

/** The calendar of a code in upper case; undefined for an unknown code. */
export function calendarByCode(code: string): TradingCalendar | undefined {
  return byCode.get(code)
}
