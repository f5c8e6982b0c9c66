import type { Price } from '../../policy/price.js'
import type { Principal } from '../../policy/principal.js'
import type { StreamStop } from '../../policy/quota.js'
import type { DatasetStates } from '../database/data-version.js'
import type { Database } from '../database/database.js'
import type { Logger } from '../logger.js'
import type { Ports } from './ports.js'
import type { Validity } from './validity.js'

/** Given to every service: who asks, through what, at which instant. One per request, in REST and GraphQL alike. */
export interface RequestContext {
  readonly principal: Principal
  readonly database: Database
  /** One instant for the whole request, so that all its answers agree. */
  readonly now: Date
  readonly requestId: string
  readonly log: Logger
  readonly ports: Ports
  /** Versions, sources and ages of all datasets as they were when the request began. */
  readonly datasets: DatasetStates
  /** Keyed hash of the caller's address, for throttles and the audit; never the address itself. */
  readonly clientAddress: string
  /** Headers of the request that services may need, lower-case names: idempotency-key only. */
  readonly idempotencyKey: string | null
  /** Notes what ends the answer that is being made; absent where no answer is kept. */
  readonly validity?: Validity
  /** For what stays open and waits; absent where nobody could go away, as in scripts. */
  readonly live?: LiveRequest
}

/** How a request that stays open learns what has become of the world. */
export interface LiveRequest {
  /** Whether the caller has gone or lost access, or the process stops: end what is open. */
  isOver(): Promise<boolean>
  /** The caller wants no more. */
  end(): void
  /** The instant, and the states of all datasets, at most half a second old. */
  refresh(): Promise<Pick<RequestContext, 'now' | 'datasets'>>
  /** Waits for a place among the requests that run, and gives the function that leaves it. Throws 503 where none comes free in time. */
  enter(): Promise<() => void>
  /** Takes the price of one more event from the caller's quota. Null: taken; else why nothing was. */
  charge(price: Price): Promise<StreamStop | null>
  /** Gives back a part of what the last event was charged. */
  refund(price: Price): Promise<void>
}
