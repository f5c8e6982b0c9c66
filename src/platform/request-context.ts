import type { Principal } from '../policy/principal.js'
import type { DatasetStates } from './data-version.js'
import type { Database } from './database.js'
import type { Logger } from './logger.js'
import type { Ports } from './ports.js'

/** Given to every service: who asks, through what, at which instant. One per request, whatever the door. */
export interface RequestContext {
  readonly principal: Principal
  readonly database: Database
  /** One instant for the whole request, so that all its answers agree. */
  readonly now: Date
  readonly requestId: string
  readonly log: Logger
  readonly ports: Ports
  /** Versions, sources and ages of all datasets as they stood when the request began. */
  readonly datasets: DatasetStates
  /** Keyed hash of the caller's address, for throttles and the audit; never the address itself. */
  readonly origin: string
  /** Headers of the request that services may need, lower-case names: idempotency-key only. */
  readonly idempotencyKey: string | null
}
