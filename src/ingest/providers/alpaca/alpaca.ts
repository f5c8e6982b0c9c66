import { PROVIDERS } from '../../../core/providers.js'
import type { RequestRate } from '../../../core/request-rate.js'

/** The free plan allows 200 requests a minute. */
const RATE: RequestRate = { provider: PROVIDERS.alpaca.id, pauseMs: 300 }

/** What every request has. The words are the variables with the operator's key. */
export const ALPACA_REQUEST = {
  headers: {
    accept: 'application/json',
    'APCA-API-KEY-ID': 'ALPACA_API_KEY_ID',
    'APCA-API-SECRET-KEY': 'ALPACA_API_SECRET_KEY',
  },
  rate: RATE,
  refusals: {
    401: 'Alpaca refuses the key of ALPACA_API_KEY_ID and ALPACA_API_SECRET_KEY',
    403: 'Alpaca says that the plan of the key does not have these data, such as the last 15 minutes of the tape',
  },
} as const

/** The configuration has both variables of the key, or none. */
export const ALPACA_KEY = 'ALPACA_API_KEY_ID'

/** Alpaca writes share classes with a point, e.g. BRK.B. */
export function toAlpacaSymbol(ticker: string): string {
  return ticker.replaceAll(/[-/]/g, '.').toUpperCase()
}
