import type { Credentials } from '../../domains/access/model.js'
import type { Exchange } from '../../platform/request/exchange.js'
import { type Asker, innerExchange } from '../http/inner-exchange.js'
import { GRAPHQL_PATH } from '../paths.js'

export interface SentOperation extends Asker {
  /** As the client sent it: query, variables, operationName, extensions. */
  readonly payload: unknown
  readonly credentials: Credentials
}

/** An operation that came over a WebSocket, as the request that it would be over HTTP. */
export function operationExchange({ payload, credentials, ...asker }: SentOperation): Exchange {
  return innerExchange(asker, {
    method: 'POST',
    path: GRAPHQL_PATH,
    search: '',
    headers: headersOf(credentials),
    body: Buffer.from(JSON.stringify(payload)),
    takesMessages: true,
  })
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
