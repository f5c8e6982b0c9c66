import type { FeedRequest } from '../../feed.js'

/** Who asks: SEC answers 403 to a request that does not say. The variable stands for it wherever a request is seen. */
export const SEC_VARIABLE = 'SEC_USER_AGENT' as const

/** SEC allows ten requests a second from one address, and shuts out for ten minutes who asks faster. */
export const SEC_PAUSE_MS = 150

/** A request to EDGAR at data.sec.gov or www.sec.gov. */
export function secRequest(url: string, accept: string): FeedRequest {
  return { url, headers: { accept, 'user-agent': SEC_VARIABLE } }
}
