import { DAY_MS, dayOf, HOUR_MS, QUOTES, SLUGS } from '../shared/cases/many-paths.js'

/** Length of the requested hourly series, and the number of different starts. */
const HOURS = 24
const HOUR_STARTS = 500
const MAX_LIMIT = 1000

/** Days of the requested rates, whose first and last day vary. */
const DAYS = 30
const DAY_STARTS = 500
const DAY_ENDS = 20

/** A unique path for each number below 100,000, so that no cached response matches. */
export function coldPath(number: number, until: Date): string {
  const place = Math.floor(number / 2)
  return number % 2 === 0 ? candlesPath(place, until) : ratesPath(place, until)
}

function candlesPath(place: number, until: Date): string {
  const slug = SLUGS[place % SLUGS.length]
  const rest = Math.floor(place / SLUGS.length)
  const end = until.getTime() - (rest % HOUR_STARTS) * HOUR_MS
  // The limit exceeds the number of windows, so it changes the request but not the response.
  const limit = MAX_LIMIT - Math.floor(rest / HOUR_STARTS)
  const span = `from=${new Date(end - HOURS * HOUR_MS).toISOString()}&to=${new Date(end).toISOString()}`
  return `/v1/assets/${slug}/ohlcv?timeframe=1h&limit=${limit}&${span}`
}

function ratesPath(place: number, until: Date): string {
  const quote = QUOTES[place % QUOTES.length]
  const rest = Math.floor(place / QUOTES.length)
  const end = until.getTime() - (rest % DAY_STARTS) * DAY_MS
  const days = DAYS + (Math.floor(rest / DAY_STARTS) % DAY_ENDS)
  return `/v1/forex?quote=${quote}&from=${dayOf(end - days * DAY_MS)}&to=${dayOf(end)}`
}
