import type { AsOf } from '../../core/as-of.js'
import type { Price } from '../../policy/price.js'
import type { Principal } from '../../policy/principal.js'
import type { StreamStop } from '../../policy/quota.js'
import type { Database } from '../database/database.js'
import type { DatasetStates } from '../database/versions/data-version.js'
import type { Logger } from '../logger.js'
import type { Ports } from './ports.js'
import type { Validity } from './validity.js'

/** The context that every service gets: the caller, its database and the instant. One per request, in REST and GraphQL alike. */
export interface RequestContext {
  readonly principal: Principal
  readonly database: Database
  /** One instant for the whole request, so that all its answers agree. With a clock, the instant of the clock. */
  readonly now: Date
  /** The answer is as of this instant, wherever the request names no earlier one. Omitted: it has what is known now. */
  readonly clock?: RequestClock
  /** When the request arrived, by which the age of what a caller may see is limited. Omitted: `now`. */
  readonly arrivedAt?: Date
  readonly requestId: string
  readonly log: Logger
  readonly ports: Ports
  /** Versions, sources and ages of all datasets as they were when the request began. */
  readonly datasets: DatasetStates
  /** Keyed hash of the caller's address, for throttles and the audit; never the address itself. */
  readonly clientAddress: string
  /** The header Idempotency-Key. */
  readonly idempotencyKey: string | null
  /** The header Last-Event-ID, which an EventSource sends when it reconnects: the cursor of the last event it has. */
  readonly lastEventId?: string | null
  /** Collects when the response becomes invalid. Omitted if the response is not cached. */
  readonly validity?: Validity
  /** For requests that stay open and wait. Omitted without a client, as in scripts. */
  readonly live?: LiveRequest
}

/** The knowledge that every field of a request is answered by. */
export interface RequestClock extends AsOf {
  /** Whether the arguments of a field may name another basis, as those of a request that is run again may. */
  readonly leavesBasis?: boolean
}

/** What a request that stays open needs to know about its caller, the data and its quota. */
export interface LiveRequest {
  /** Whether the request must end: the caller has disconnected or lost access, or the process stops. */
  isOver(): Promise<boolean>
  /** The caller has ended the stream. */
  end(): void
  /** The instant, and the states of all datasets, at most half a second old. */
  refresh(): Promise<Pick<RequestContext, 'now' | 'datasets'>>
  /** Acquires a permit to run and returns the function that releases it. Throws 503 if none becomes free in time. */
  acquirePermit(): Promise<() => void>
  /** Charges the price of one more event. Returns null, or the reason if the quota refuses it. */
  charge(price: Price): Promise<StreamStop | null>
  /** Refunds a part of the price of the last event. */
  refund(price: Price): Promise<void>
}
