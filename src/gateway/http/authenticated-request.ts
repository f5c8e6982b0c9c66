import type { Exchange } from '../../platform/request/exchange.js'
import type { Target, Transport } from '../../platform/request/transport.js'
import type { Progress } from './progress.js'

export interface AuthenticatedRequest {
  readonly exchange: Exchange
  readonly progress: Progress
  readonly transport: Transport
  readonly target: Target
  /** Whether the request is a dry run. */
  readonly isPriced: boolean
}
