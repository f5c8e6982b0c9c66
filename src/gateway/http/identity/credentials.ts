import { ApiError, unauthorized } from '../../../core/errors.js'
import type { Credentials } from '../../../domains/access/model.js'
import type { Exchange } from '../../../platform/request/exchange.js'

/** A parameter with the name of a credential, or a value that begins as a key does. */
const CREDENTIAL_IN_QUERY = /[?&](?:x-)?(?:api[-_]?key|access[-_]?token|token)=|=mdg_(?:live|test)_/i

/** What begins a key, wherever it is sent. */
const KEY_START = /^mdg_(?:live|test)_/

/**
 * Parses the credentials of a request: a key in X-API-Key, as the token of Authorization or in the query, or an access token.
 * Throws `unauthorized` for another Authorization scheme and for another credential in the query, and 400 for two different
 * credentials, because they may belong to two accounts.
 */
export function parseCredentials(exchange: Pick<Exchange, 'header' | 'search' | 'urlKey'>): Credentials {
  const header = exchange.header('x-api-key') || null // an empty header counts as absent: clients send it for an unset key
  const authorization = exchange.header('authorization')
  const bearer = authorization === null ? null : parseBearer(authorization)
  const isKey = bearer !== null && KEY_START.test(bearer)
  const keys = new Set([header, isKey ? bearer : null, exchange.urlKey ?? null].filter((key) => key !== null))
  const token = isKey ? null : bearer
  if (keys.size + (token === null ? 0 : 1) > 1) {
    throw new ApiError('bad_request', {
      message:
        'Send one credential, in X-API-Key, in Authorization or in the query: the request has two credentials.',
    })
  }
  const [apiKey = null] = keys
  if (apiKey === null && token === null) assertNoCredentialInQuery(exchange)
  return { apiKey, bearer: token }
}

function parseBearer(authorization: string): string {
  if (/^bearer \S+$/i.test(authorization)) return authorization.slice('bearer '.length)
  throw unauthorized('Authorization', 'must be: Bearer <access_token>')
}

/** Throws `unauthorized` for a key or token in the query, which is not read: servers and proxies log addresses. */
export function assertNoCredentialInQuery({ search, urlKey }: Pick<Exchange, 'search' | 'urlKey'>): void {
  if (urlKey !== undefined || CREDENTIAL_IN_QUERY.test(search)) throw notReadInQuery()
}

/** The 401 for a credential in the query that may not stand there. */
export function notReadInQuery(): ApiError {
  return unauthorized(
    'X-API-Key',
    'is missing, and a key in the query is not read, because addresses are logged. Only a key for addresses may be its parameter token',
  )
}
