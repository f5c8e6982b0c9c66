import type { Principal } from '../policy/principal.js'
import type { Logger } from './logger.js'

/**
 * What the doors know of a request before any operation runs. It travels as yoga's server context, so that
 * plugins, the REST door and resolvers see the same object.
 */
export interface DoorContext {
  requestId: string
  /** Set once per request: all its answers agree on it. */
  now: Date
  /** Milliseconds of a steady clock, for durations. */
  startedAt: number
  log: Logger
  principal: Principal
  /** Keyed hash of the caller's address. */
  origin: string
  /** Headers that plugins add to the answer, whatever the door. */
  replyHeaders: Record<string, string>
  /** What ran and what it cost, for the access log and the usage record. */
  operation: string | null
  charged: number
}

/** Makes the answer to a request that is refused before either door opens it. */
export type Refuse = (error: unknown, request: Request, door: DoorContext) => Response
