import { invalid } from '../../../core/errors.js'
import type { Exchange } from '../../../platform/request/exchange.js'

/** Whether only the price is asked for: `X-Dry-Run: cost`. Throws 422 for any other value, since running would be charged. */
export function isDryRun(exchange: Pick<Exchange, 'header'>): boolean {
  const value = exchange.header('x-dry-run')
  if (value === null) return false
  if (value.trim().toLowerCase() === 'cost') return true
  throw invalid({ field: 'X-Dry-Run', message: 'must be cost, or left out to run the request' })
}
