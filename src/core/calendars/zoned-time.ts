import { addDays, daysBetween, HOUR_MS, type IsoDate, MINUTE_MS } from '../time.js'
import { dateOf } from './days.js'

/** Milliseconds that local time is ahead of UTC, from a day on. */
interface OffsetSince {
  readonly since: IsoDate
  readonly offsetMs: number
}

interface Zone {
  readonly formatter: Intl.DateTimeFormat
  /** The offsets of a year, oldest first. Asking `Intl` takes 10 µs, which each response with a publication time would pay. */
  readonly years: Map<number, readonly OffsetSince[]>
}

/** One entry per time zone of a calendar, each with at most 301 years. */
const zones = new Map<string, Zone>()

function zoneOf(timeZone: string): Zone {
  const known = zones.get(timeZone)
  if (known !== undefined) return known
  const formatter = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const zone: Zone = { formatter, years: new Map() }
  zones.set(timeZone, zone)
  return zone
}

/**
 * Converts local times `HH:MM` of a day to instants. The offset is the one at noon UTC: summer time begins and ends at night
 * and on a weekend, when no market is open.
 */
export function instantIn(timeZone: string, date: IsoDate): (time: string) => Date {
  const midnight = Date.parse(date)
  const offsetMs = offsetOn(zoneOf(timeZone), date)
  return (time) => new Date(midnight + minutesOf(time) * MINUTE_MS - offsetMs)
}

function offsetOn(zone: Zone, date: IsoDate): number {
  const year = Number(date.slice(0, 4))
  const offsets = zone.years.get(year) ?? findOffsets(zone, year)
  zone.years.set(year, offsets)
  return offsets.findLast(({ since }) => since <= date)?.offsetMs ?? 0 // the first one is of 1 January
}

/** The offsets of a year. No zone of a calendar changes its offset twice between the first days of two months. */
function findOffsets(zone: Zone, year: number): readonly OffsetSince[] {
  const firstDay = dateOf(year, 1, 1)
  const offsets = [{ since: firstDay, offsetMs: measureOffset(zone, firstDay) }]
  let before = firstDay
  for (let month = 2; month <= 13; month += 1) {
    const day = month === 13 ? dateOf(year, 12, 31) : dateOf(year, month, 1)
    const offsetMs = measureOffset(zone, day)
    if (offsetMs !== offsets.at(-1)?.offsetMs)
      offsets.push({ since: findFirstDay(zone, before, day, offsetMs), offsetMs })
    before = day
  }
  return offsets
}

/** The first day with an offset that the last of the days has and the first does not. */
function findFirstDay(zone: Zone, without: IsoDate, having: IsoDate, offsetMs: number): IsoDate {
  const days = daysBetween(without, having)
  if (days === 1) return having
  const middle = addDays(without, Math.floor(days / 2))
  return measureOffset(zone, middle) === offsetMs
    ? findFirstDay(zone, without, middle, offsetMs)
    : findFirstDay(zone, middle, having, offsetMs)
}

/** Asks `Intl` for the offset of a day at noon UTC. */
function measureOffset({ formatter }: Zone, date: IsoDate): number {
  const name = formatter
    .formatToParts(Date.parse(date) + 12 * HOUR_MS)
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
