import type { Credentials } from '../../domains/access/model.js'
import type { Exchange } from '../../platform/request/exchange.js'
import { innerExchange, type OuterExchange } from '../http/inner-exchange.js'
import { GRAPHQL_PATH } from '../paths.js'

export interface SentOperation extends OuterExchange {
  /** The client's payload: query, variables, operationName, extensions. */
  readonly payload: unknown
  readonly credentials: Credentials
}

/** Converts an operation from a WebSocket to an HTTP request. */
export function operationExchange({ payload, credentials, ...outer }: SentOperation): Exchange {
  return innerExchange(outer, {
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
