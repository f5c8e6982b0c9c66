export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** Different paths of each of four routes: 2,000 together. */
const PER_ROUTE = 500

const PAGE_SIZES = 20

/** Each of them has daily candles of a year and hourly candles of a month. */
export const SLUGS = [
  'bitcoin',
  'ethereum',
  'bnb',
  'solana',
  'xrp',
  'dogecoin',
  'tron',
  'cardano',
  'litecoin',
  'monero',
]

export const QUOTES = ['USD', 'JPY', 'GBP', 'CHF', 'AUD', 'CAD', 'SEK', 'NOK', 'PLN', 'CZK']

const HOURS = 24
const DAYS = 30

/** Distinct paths of the four largest routes, for data before a day. */
export function pathsOf(until: Date): [string, ...string[]] {
  const paths: string[] = []
  for (let place = 0; place < PER_ROUTE; place++) {
    paths.push(assetsPath(place), ratesPath(place, until), hoursPath(place, until), daysPath(place, until))
  }
  const [first = '', ...more] = paths
  return [first, ...more]
}

function assetsPath(place: number): string {
  const limit = 1 + (place % PAGE_SIZES)
  return `/v1/assets?asset_class=crypto&limit=${limit}&offset=${Math.floor(place / PAGE_SIZES)}`
}

function ratesPath(place: number, until: Date): string {
  const quote = QUOTES[place % QUOTES.length]
  const end = until.getTime() - Math.floor(place / QUOTES.length) * DAY_MS
  return `/v1/forex?quote=${quote}&from=${dayOf(end - DAYS * DAY_MS)}&to=${dayOf(end)}`
}

// Candles of months that have ended have an age of their own, which contenders do not know: all ranges end with the day.

function hoursPath(place: number, until: Date): string {
  const hours = HOURS + Math.floor(place / SLUGS.length)
  return candlesPath(place, '1h', { from: until.getTime() - hours * HOUR_MS, to: until.getTime() })
}

function daysPath(place: number, until: Date): string {
  const days = DAYS + Math.floor(place / SLUGS.length)
  return candlesPath(place, '1d', { from: until.getTime() - days * DAY_MS, to: until.getTime() })
}

function candlesPath(
  place: number,
  timeframe: string,
  { from, to }: { readonly from: number; readonly to: number },
): string {
  const slug = SLUGS[place % SLUGS.length]
  const span = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`
  return `/v1/assets/${slug}/ohlcv?timeframe=${timeframe}&limit=100&${span}`
}

/** The UTC day of an instant, `YYYY-MM-DD`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
