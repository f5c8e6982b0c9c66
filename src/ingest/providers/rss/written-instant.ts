import { parseIsoDate } from '../../../core/time.js'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Zones of RFC 822 by name, hours from UTC; the military letters are left out, since many got their signs wrong. */
const ZONE_HOURS: Readonly<Record<string, number>> = {
  GMT: 0,
  UT: 0,
  UTC: 0,
  Z: 0,
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
}

const RFC_822 =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?(\d{1,2}) ([a-z]{3})[a-z]*\.? (\d{4}|\d{2}) (\d{1,2}):(\d{2})(?::(\d{2}))? ([a-z]{1,4}|[+-]\d{2}:?\d{2})$/i

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[t ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(z|[+-]\d{2}:?\d{2})$/i

/** An instant as RSS (RFC 822, with four digits of the year too) or Atom (RFC 3339) writes it; null for anything else. */
export function parseWrittenInstant(text: string): Date | null {
  const written = text.trim().replace(/\s+/g, ' ')
  const mail = RFC_822.exec(written)
  if (mail !== null) {
    const [, day = '', month = '', year = '', hour, minute, second = '0', zone = ''] = mail
    const place = MONTHS.indexOf(month.toLowerCase()) + 1
    const date = `${yearOf(year)}-${String(place).padStart(2, '0')}-${day.padStart(2, '0')}`
    return instantOf({ date, hour, minute, second, fraction: '', zone })
  }
  const iso = RFC_3339.exec(written)
  if (iso === null) return null
  const [, date = '', hour, minute, second = '0', fraction = '', zone = ''] = iso
  return instantOf({ date, hour, minute, second, fraction, zone })
}

interface Parts {
  readonly date: string
  readonly hour: string | undefined
  readonly minute: string | undefined
  readonly second: string
  readonly fraction: string
  readonly zone: string
}

function instantOf({ date, hour, minute, second, fraction, zone }: Parts): Date | null {
  const day = parseIsoDate(date)
  const offsetMinutes = minutesOfZone(zone.toUpperCase())
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)]
  if (day === null || offsetMinutes === null || hours > 23 || minutes > 59 || seconds > 60) return null
  // A leap second is the last one before it.
  const ms =
    ((hours * 60 + minutes) * 60 + Math.min(seconds, 59)) * 1_000 +
    Number(fraction.padEnd(3, '0').slice(0, 3))
  return new Date(new Date(day).getTime() + ms - offsetMinutes * 60_000)
}

/** Two digits are of 1950 to 2049 (RFC 2822). */
function yearOf(year: string): string {
  if (year.length === 4) return year
  return Number(year) < 50 ? `20${year}` : `19${year}`
}

function minutesOfZone(zone: string): number | null {
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(zone)
  if (offset === null) return ZONE_HOURS[zone] === undefined ? null : ZONE_HOURS[zone] * 60
  const [hours, minutes] = [Number(offset[2]), Number(offset[3])]
  if (hours > 23 || minutes > 59) return null
  return (offset[1] === '-' ? -1 : 1) * (hours * 60 + minutes)
}
