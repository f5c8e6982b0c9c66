import { type IsoDate, parseIsoDate } from '../../core/time.js'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * Parses a day as legal texts write it: `2026-04-23`, `23.4.2026`, `23 April 2026` or `23 Apr. 2026`. Null for
 * other text, such as a year or a month alone.
 */
export function parseWrittenDay(text: string): IsoDate | null {
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text)
  if (dotted !== null) return dayOf(dotted[3], dotted[2], dotted[1])
  const worded = /^(\d{1,2}) ([A-Za-z]{3,9})\.? (\d{4})$/.exec(text)
  if (worded === null) return parseIsoDate(text.slice(0, 10))
  const month = MONTHS.indexOf((worded[2] ?? '').slice(0, 3).toLowerCase()) + 1
  return dayOf(worded[3], String(month), worded[1])
}

function dayOf(year = '', month = '', day = ''): IsoDate | null {
  return parseIsoDate(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`)
}
