import { invalid } from '../../../core/errors.js'
import type { Exchange } from '../../../platform/request/exchange.js'

/** Whether the request has `X-Dry-Run: cost`. Throws 422 for another value, because running the request would be charged. */
export function isDryRun(exchange: Pick<Exchange, 'header'>): boolean {
  const value = exchange.header('x-dry-run')
  if (value === null) return false
  if (value.trim().toLowerCase() === 'cost') return true
  throw invalid({ field: 'X-Dry-Run', message: 'must be cost; omit the header to run the request' })
}
