import { ApiError } from '../../../core/errors.js'
import type { Credentials } from '../../../domains/access/model.js'
import type { Exchange } from '../../../platform/request/exchange.js'

/**
 * Parses the credentials of a request. Throws `unauthorized` for another Authorization scheme, and 400 for both a key and a
 * token, because they may belong to two accounts.
 */
export function parseCredentials(exchange: Pick<Exchange, 'header'>): Credentials {
  const apiKey = exchange.header('x-api-key') || null // an empty header counts as absent: clients send it for an unset key
  const authorization = exchange.header('authorization')
  if (authorization === null) return { apiKey, bearer: null }
  if (!/^bearer \S+$/i.test(authorization)) {
    throw new ApiError('unauthorized', {
      message: 'The Authorization header must be: Bearer <access_token>.',
    })
  }
  if (apiKey !== null) {
    throw new ApiError('bad_request', {
      message: 'Send either X-API-Key or Authorization, not both: the request has two credentials.',
    })
  }
  return { apiKey: null, bearer: authorization.slice('bearer '.length) }
}
