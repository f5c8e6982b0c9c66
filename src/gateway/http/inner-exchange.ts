import { randomUUID } from 'node:crypto'
import type { Exchange } from '../../platform/request/exchange.js'

/** The client of a request and the lifetime of its connection. */
export type OuterExchange = Pick<Exchange, 'signal' | 'whenSent' | 'now' | 'clientAddress' | 'log'>

/** The request within another protocol; header names are in lower case. */
export interface InnerRequest
  extends Pick<
    Exchange,
    'method' | 'path' | 'search' | 'body' | 'takesMessages' | 'maxBytes' | 'nameOperation'
  > {
  readonly headers: ReadonlyMap<string, string>
}

/** Converts a request within another protocol (MCP, WebSocket) to an HTTP request with a new request id. */
export function innerExchange(outer: OuterExchange, request: InnerRequest): Exchange {
  const { headers, ...inner } = request
  const { signal, now, clientAddress, log } = outer
  const requestId = randomUUID()
  return {
    ...inner,
    header: (name) => headers.get(name) ?? null,
    signal,
    whenSent: (release, maxMs) => outer.whenSent(release, maxMs),
    requestId,
    now,
    startedAt: performance.now(),
    clientAddress,
    log: log.child({ request_id: requestId }),
  }
}
