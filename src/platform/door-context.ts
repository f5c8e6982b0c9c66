import type { DatasetName } from '../core/freshness.js'
import type { Principal } from '../policy/principal.js'
import type { AnswerLife } from './answer-life.js'
import type { DatasetStates } from './data-version.js'
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
  /** How the answer was made, where it may be given again to who asks the same; null while it is not. */
  made: MadeAnswer | null
  /** The JSON of a success: the body of a REST answer, the `data` of a GraphQL one. */
  json: string | null
}

/** What is known of a request as it arrives; the rest is filled on its way. */
export function openDoor(
  log: Logger,
  arrived: Pick<DoorContext, 'requestId' | 'now' | 'startedAt' | 'principal' | 'origin'>,
): DoorContext {
  return {
    ...arrived,
    // Few requests log anything beside the access log's line.
    get log() {
      return log.child({ request_id: arrived.requestId })
    },
    replyHeaders: {},
    operation: null,
    charged: 0,
    made: null,
    json: null,
  }
}

/** How a complete answer without errors was made. */
export interface MadeAnswer {
  /** The datasets it was read from, and how they stood. */
  readonly reads: readonly DatasetName[]
  readonly datasets: DatasetStates
  /** Whether none of them changed from before the first read until after the last. */
  readonly isSteady: boolean
  readonly life: AnswerLife
  /** What it was charged, by root field. */
  readonly units: readonly { readonly field: string; readonly units: number }[]
}

/** Makes the answer to a request that is refused before either door opens it. */
export type Refuse = (error: unknown, request: Request, door: DoorContext) => Response
