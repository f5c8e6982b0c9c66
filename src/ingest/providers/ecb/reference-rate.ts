import { Decimal, type DecimalText, decimalText } from '../../../core/decimal.js'
import { addDays, type IsoDate, parseIsoDate, toIsoDate } from '../../../core/time.js'
import type { Read } from '../../bodies/read.js'
import { quoted } from '../../feed.js'

/** The day of the first euro reference rates. */
const FIRST_DATE = '1999-01-04'

/** What the table of rates holds exactly; no rate of the ECB comes near. */
const MAX_DECIMALS = 8
const RATE_LIMIT = new Decimal(10).pow(12)

/** Decimal's 40 digits of precision hold any text up to here without rounding. */
const MAX_TEXT_LENGTH = 40

/** No UNIT_MULT in use is beyond trillions. */
const MAX_UNIT_MULT = 12

/** Reads one rate, shifted by 10^unitMult; anything but a plain decimal above zero is refused with the reason. */
export function readRate(text: string, unitMult = 0): Read<DecimalText> {
  const shape = wrongShape(text)
  if (shape !== null) return { wrong: `${quoted(text)} ${shape}` }
  const rate = text.length > MAX_TEXT_LENGTH ? RATE_LIMIT : shifted(new Decimal(text), unitMult)
  if (rate.isZero()) return { wrong: `${quoted(text)} is zero, a rate is above zero` }
  if (rate.greaterThanOrEqualTo(RATE_LIMIT)) return { wrong: `${quoted(text)} is out of range` }
  if (rate.decimalPlaces() > MAX_DECIMALS) {
    return { wrong: `${quoted(text)} has more than ${MAX_DECIMALS} decimals` }
  }
  return { value: decimalText(rate) }
}

/** Nearly all rates are in units; a power costs more than all else here. */
function shifted(figure: Decimal, unitMult: number): Decimal {
  return unitMult === 0 ? figure : figure.times(new Decimal(10).pow(unitMult))
}

function wrongShape(text: string): string | null {
  if (/^\d+(?:\.\d+)?$/.test(text)) return null
  if (text === '') return 'is empty'
  if (/^[-\u2212]\s*\d/.test(text)) return 'is negative, a rate is above zero'
  if (/^\d+(?:\.\d+)?e[+-]?\d+$/i.test(text)) return 'is written with an exponent'
  if (/^\d{1,3}(?:[,.'\s]\d{3})+(?:[.,]\d*)?$/.test(text)) return 'has thousands separators'
  return 'is not a number'
}

/** Reads a publication day: of the calendar, not before the euro and not later than tomorrow of `now`. */
export function readPublicationDay(text: string, now: Date): Read<IsoDate> {
  const date = parseIsoDate(text)
  if (date === null) return { wrong: `${quoted(text)} is not a date of the calendar, YYYY-MM-DD` }
  if (date < FIRST_DATE) return { wrong: `${date} is before the first reference rates, ${FIRST_DATE}` }
  // A day of grace for clocks: a date far ahead would make the whole dataset look fresh for as long.
  if (date > addDays(toIsoDate(now), 1)) return { wrong: `${date} is in the future` }
  return { value: date }
}

/** Reads UNIT_MULT, the power of ten that the figures are given in; empty means 0. */
export function readUnitMult(text: string): Read<number> {
  const unitMult = /^-?\d{1,2}$/.test(text) ? Number(text) : text === '' ? 0 : Number.NaN
  return Math.abs(unitMult) <= MAX_UNIT_MULT
    ? { value: unitMult }
    : { wrong: `UNIT_MULT ${quoted(text)} is not a power of ten from -${MAX_UNIT_MULT} to ${MAX_UNIT_MULT}` }
}
