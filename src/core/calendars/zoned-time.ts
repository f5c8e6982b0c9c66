import { HOUR_MS, type IsoDate, MINUTE_MS } from '../time.js'

/** One formatter per time zone of a calendar, so it is bounded. */
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone)
  if (known !== undefined) return known
  const formatter = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  formatters.set(timeZone, formatter)
  return formatter
}

/**
 * Converts local times `HH:MM` of a day to instants. The offset is the one at noon UTC: summer time begins and ends at night
 * and on a weekend, when no market is open.
 */
export function instantIn(timeZone: string, date: IsoDate): (time: string) => Date {
  const midnight = Date.parse(date)
  const offsetMs = offsetAt(timeZone, midnight + 12 * HOUR_MS)
  return (time) => new Date(midnight + minutesOf(time) * MINUTE_MS - offsetMs)
}

/** Milliseconds that local time is ahead of UTC. */
function offsetAt(timeZone: string, instantMs: number): number {
  const name = formatterOf(timeZone)
    .formatToParts(instantMs)
    .find(({ type }) => type === 'timeZoneName')?.value
  // `GMT` in winter of London, otherwise such as `GMT-05:00`.
  const [, sign, time] = /^GMT(?:([+-])(\d\d:\d\d))?$/.exec(name ?? '') ?? []
  if (time === undefined) return 0
  return (sign === '-' ? -1 : 1) * minutesOf(time) * MINUTE_MS
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}
