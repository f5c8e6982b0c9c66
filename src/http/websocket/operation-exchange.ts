import { randomUUID } from 'node:crypto'
import type { Logger } from '../../platform/logger.js'
import type { Exchange } from '../../platform/request/exchange.js'
import type { Credentials } from '../identity/credentials.js'
import { GRAPHQL_PATH } from '../paths.js'

export interface SentOperation {
  /** As the client sent it: query, variables, operationName, extensions. */
  readonly payload: unknown
  readonly credentials: Credentials
  readonly signal: AbortSignal
  readonly now: Date
  readonly origin: string
  readonly log: Logger
}

/** An operation that came over a WebSocket, as the request that it would be over HTTP. */
export function operationExchange(sent: SentOperation): Exchange {
  const { signal, now, origin } = sent
  const requestId = randomUUID()
  const headers = headersOf(sent.credentials)
  return {
    method: 'POST',
    path: GRAPHQL_PATH,
    search: '',
    header: (name) => headers.get(name) ?? null,
    body: Buffer.from(JSON.stringify(sent.payload)),
    signal,
    requestId,
    now,
    startedAt: performance.now(),
    origin,
    log: sent.log.child({ request_id: requestId }),
    takesMessages: true,
  }
}

function headersOf({ apiKey, bearer }: Credentials): ReadonlyMap<string, string> {
  const headers = new Map([
    ['content-type', 'application/json'],
    ['accept', 'application/graphql-response+json, text/event-stream'],
  ])
  if (apiKey !== null) headers.set('x-api-key', apiKey)
  if (bearer !== null) headers.set('authorization', `Bearer ${bearer}`)
  return headers
}
