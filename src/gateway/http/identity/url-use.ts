import { ApiError } from '../../../core/errors.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import type { Target } from '../../../platform/request/transport.js'
import type { Caller } from '../../../policy/principal.js'
import { isReadMethod } from '../read-method.js'
import { notReadInQuery } from './credentials.js'

/**
 * A key for addresses only reads, and only what it is for; another key is not read in the query. Throws 403 and 401. Addresses are
 * seen by others: in the history of browsers, in documents, in the logs of proxies.
 */
export function assertUrlUse(
  { urlUse }: Caller,
  { method, urlKey }: Pick<Exchange, 'method' | 'urlKey'>,
  { operation, interface: compat }: Pick<Target, 'operation' | 'interface'>,
): void {
  if (urlUse === undefined) {
    if (urlKey !== undefined) throw notReadInQuery()
    return
  }
  const isOperation = operation !== undefined && urlUse.operations.includes(operation)
  const isInterface = compat !== undefined && urlUse.interfaces.includes(compat)
  if (isReadMethod(method) && (isOperation || isInterface)) return
  const readable = [...urlUse.operations, ...urlUse.interfaces.map((name) => `/compat/${name}`)]
  throw new ApiError('forbidden', {
    message: `This is a key for addresses, which reads only: ${readable.join(', ')}. Send another key.`,
  })
}
