import type { Exchange } from '../../../platform/request/exchange.js'

/**
 * Whether a script of another site sends the request. False outside browsers, which send none of these headers. A browser leaves
 * out Sec-Fetch-Site when the gateway has no TLS; then the origin of the page must be the host that the request names.
 */
export function isForeignFetch(exchange: Pick<Exchange, 'header'>): boolean {
  const site = exchange.header('sec-fetch-site')
  if (site !== null)
    return exchange.header('sec-fetch-mode') === 'cors' && (site === 'cross-site' || site === 'same-site')
  const origin = exchange.header('origin')
  const host = exchange.header('host')
  return origin !== null && host !== null && origin.replace(/^https?:\/\//, '') !== host.toLowerCase()
}
