import { Decimal, type DecimalText, decimalText } from '../../../core/decimal.js'
import { addDays, type IsoDate, parseIsoDate, toIsoDate } from '../../../core/time.js'
import type { Read } from '../../bodies/read.js'
import { quoted } from '../../feed.js'

/** The day of the first euro reference rates. */
const FIRST_DATE = '1999-01-04'

/** The table of rates stores values below this exactly; no rate of the ECB comes near. */
const MAX_DECIMALS = 8
const RATE_LIMIT = new Decimal(10).pow(12)

/** Decimal, with 40 digits of precision, does not round texts up to this length. */
const MAX_TEXT_LENGTH = 40

/** No UNIT_MULT in use exceeds trillions. */
const MAX_UNIT_MULT = 12

/** Parses one rate, shifted by 10^unitMult. Rejects everything but a plain positive decimal, with the reason. */
export function readRate(text: string, unitMult = 0): Read<DecimalText> {
  const shape = wrongShape(text)
  if (shape !== null) return { wrong: `${quoted(text)} ${shape}` }
  const rate = text.length > MAX_TEXT_LENGTH ? RATE_LIMIT : shifted(new Decimal(text), unitMult)
  if (rate.isZero()) return { wrong: `${quoted(text)} is zero, but a rate is above zero` }
  if (rate.greaterThanOrEqualTo(RATE_LIMIT)) return { wrong: `${quoted(text)} is out of range` }
  if (rate.decimalPlaces() > MAX_DECIMALS) {
    return { wrong: `${quoted(text)} has more than ${MAX_DECIMALS} decimals` }
  }
  return { value: decimalText(rate) }
}

/** Nearly all rates need no shift, and a power costs more than the rest. */
function shifted(figure: Decimal, unitMult: number): Decimal {
  return unitMult === 0 ? figure : figure.times(new Decimal(10).pow(unitMult))
}

function wrongShape(text: string): string | null {
  if (/^\d+(?:\.\d+)?$/.test(text)) return null
  if (text === '') return 'is empty'
  if (/^[-\u2212]\s*\d/.test(text)) return 'is negative, but a rate is above zero'
  if (/^\d+(?:\.\d+)?e[+-]?\d+$/i.test(text)) return 'is written with an exponent'
  if (/^\d{1,3}(?:[,.'\s]\d{3})+(?:[.,]\d*)?$/.test(text)) return 'has thousands separators'
  return 'is not a number'
}

/** Parses a publication day: valid, not before the euro, at most one day after `now`. */
export function readPublicationDay(text: string, now: Date): Read<IsoDate> {
  const date = parseIsoDate(text)
  if (date === null) return { wrong: `${quoted(text)} is not a date of the calendar, YYYY-MM-DD` }
  if (date < FIRST_DATE) return { wrong: `${date} is before the first reference rates, ${FIRST_DATE}` }
  // One day of tolerance for clocks. A later date would make the dataset look fresh until then.
  if (date > addDays(toIsoDate(now), 1)) return { wrong: `${date} is in the future` }
  return { value: date }
}

/** Parses UNIT_MULT, the power of ten of the figures; empty means 0. */
export function readUnitMult(text: string): Read<number> {
  const unitMult = /^-?\d{1,2}$/.test(text) ? Number(text) : text === '' ? 0 : Number.NaN
  return Math.abs(unitMult) <= MAX_UNIT_MULT
    ? { value: unitMult }
    : { wrong: `UNIT_MULT ${quoted(text)} is not a power of ten from -${MAX_UNIT_MULT} to ${MAX_UNIT_MULT}` }
}
