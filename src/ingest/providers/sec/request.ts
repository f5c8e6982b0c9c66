import type { RequestRate } from '../../../core/request-rate.js'
import type { FeedRequest } from '../../feed.js'

/**
 * The variable with the contact of the caller, without which the SEC answers 403. Requests carry its name as a
 * placeholder.
 */
export const SEC_VARIABLE = 'SEC_USER_AGENT' as const

/** The SEC allows ten requests per second from one address, and blocks faster callers for ten minutes. */
const RATE: RequestRate = { provider: 'sec', pauseMs: 150, blockMs: 600_000 }

/** The list of all tickers, each with its company and exchange. */
export const TICKERS_URL = 'https://www.sec.gov/files/company_tickers_exchange.json'

/** The list of all classes of funds, each with its series and ticker. */
export const FUNDS_URL = 'https://www.sec.gov/files/company_tickers_mf.json'

/** A request to EDGAR at data.sec.gov or www.sec.gov. */
export function secRequest(url: string, accept: string): FeedRequest {
  return { url, headers: { accept, 'user-agent': SEC_VARIABLE }, rate: RATE }
}
