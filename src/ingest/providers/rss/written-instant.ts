import { parseIsoDate } from '../../../core/time.js'
import { minutesOfZone } from './written-zone.js'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const WEEKDAY = String.raw`(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,? )?`
const MONTH = String.raw`(?<month>[a-z]{3})[a-z]*\.?`
const YEAR = String.raw`(?<year>\d{4}|\d{2})`
const CLOCK = String.raw`(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?`
/** An offset with its name, as Go writes it: `+0200 CEST`. */
const ZONE = String.raw`(?: ?(?<zone>[+-]\d{1,2}(?::?\d{2})?|[a-z]{1,5}(?:[+-]\d{1,2}(?::?\d{2})?)?)(?: (?:[a-z]{1,5}|[+-]\d{2,4}))?)?`

/** The formats of day and time in feeds, after blanks are merged and hyphens within a day are replaced. */
const FORMS: readonly RegExp[] = [
  // RFC 822, RFC 850: Tue, 10 Jun 2003 04:00:00 GMT
  `${WEEKDAY}(?<day>\\d{1,2})[ -]${MONTH}[ -]${YEAR},? ${CLOCK}${ZONE}`,
  // Tue, Jun 10 2003 04:00:00 +0000, and JavaScript's format
  `${WEEKDAY}${MONTH} (?<day>\\d{1,2}),? ${YEAR},? ${CLOCK}${ZONE}`,
  // asctime, and the Unix command date: Tue Jun 10 04:00:00 CEST 2003
  `${WEEKDAY}${MONTH} (?<day>\\d{1,2}) ${CLOCK}${ZONE} ${YEAR}`,
  // RFC 3339, Go: 2003-06-10 04:00:00.25 +0200 CEST
  `(?<year>\\d{4})-(?<place>\\d{2})-(?<day>\\d{2})[t ]${CLOCK}${ZONE}`,
].map((form) => new RegExp(`^${form}$`, 'i'))

/** Longer than any format. */
const MAX_LENGTH = 100

/**
 * Parses an instant as feeds write it: RFC 822, RFC 3339 and the formats of common programs; null for other text.
 * Without a zone it is UTC. A leap second becomes the second before it; 24:00 is the midnight after the day.
 */
export function parseWrittenInstant(text: string): Date | null {
  const written = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/ \([^()]*\)$/, '') // a comment of RFC 822, where JavaScript names the zone
    .replace(/ m=[+-][\d.]+$/, '') // Go's monotonic clock
  if (written.length > MAX_LENGTH) return null
  for (const form of FORMS) {
    const parts = form.exec(written)?.groups
    if (parts !== undefined) return instantOf(parts)
  }
  return null
}

function instantOf(parts: Readonly<Record<string, string | undefined>>): Date | null {
  const { year = '', month, place, day = '', hour, minute, second = '0', fraction = '', zone } = parts
  const monthPlace = place ?? String(MONTHS.indexOf(month?.toLowerCase() ?? '') + 1).padStart(2, '0')
  const date = parseIsoDate(`${yearOf(year)}-${monthPlace}-${day.padStart(2, '0')}`)
  const offsetMinutes = zone === undefined ? 0 : minutesOfZone(zone)
  const ms = msOfClock(Number(hour), Number(minute), Number(second))
  if (date === null || offsetMinutes === null || ms === null) return null
  const fractionMs = Number(fraction.padEnd(3, '0').slice(0, 3))
  return new Date(new Date(date).getTime() + ms + fractionMs - offsetMinutes * 60_000)
}

function msOfClock(hours: number, minutes: number, seconds: number): number | null {
  const isMidnightAfter = hours === 24 && minutes === 0 && seconds === 0
  const isLeapSecond = minutes === 59 && seconds === 60
  if ((hours > 23 && !isMidnightAfter) || minutes > 59 || (seconds > 59 && !isLeapSecond)) return null
  return ((hours * 60 + minutes) * 60 + Math.min(seconds, 59)) * 1_000
}

/** Two digits stand for 1950 to 2049 (RFC 2822). */
function yearOf(year: string): string {
  if (year.length === 4) return year
  return Number(year) < 50 ? `20${year}` : `19${year}`
}
