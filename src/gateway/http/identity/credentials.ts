import { ApiError } from '../../../core/errors.js'
import type { Credentials } from '../../../domains/access/model.js'
import type { Exchange } from '../../../platform/request/exchange.js'

/**
 * What a request brings to say who asks. Throws `unauthorized` for an Authorization header of another kind, 400 for both a
 * key and a token: nobody can tell which of the two accounts is meant.
 */
export function parseCredentials(exchange: Pick<Exchange, 'header'>): Credentials {
  const apiKey = exchange.header('x-api-key') || null // an empty header is a key field that nobody filled in
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
