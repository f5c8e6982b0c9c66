import type { Exchange } from '../../../platform/request/exchange.js'

/** Whether a script of another site sends the request. False outside browsers, which do not send these headers. */
export function isForeignFetch(exchange: Pick<Exchange, 'header'>): boolean {
  const site = exchange.header('sec-fetch-site')
  return exchange.header('sec-fetch-mode') === 'cors' && (site === 'cross-site' || site === 'same-site')
}
