import { randomUUID } from 'node:crypto'
import type { Exchange } from '../../platform/request/exchange.js'

/** Who asks, and for how long. */
export type Asker = Pick<Exchange, 'signal' | 'now' | 'clientAddress' | 'log'>

/** What is asked; header names in lower case. */
export interface InnerRequest
  extends Pick<Exchange, 'method' | 'path' | 'search' | 'body' | 'takesMessages' | 'nameOperation'> {
  readonly headers: ReadonlyMap<string, string>
}

/** A question that came within another protocol, as the request that it would be over HTTP, with an id of its own. */
export function innerExchange({ signal, now, clientAddress, log }: Asker, request: InnerRequest): Exchange {
  const { headers, ...asked } = request
  const requestId = randomUUID()
  return {
    ...asked,
    header: (name) => headers.get(name) ?? null,
    signal,
    requestId,
    now,
    startedAt: performance.now(),
    clientAddress,
    log: log.child({ request_id: requestId }),
  }
}
