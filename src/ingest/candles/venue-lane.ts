import type { Venue } from '../../core/consensus/venue-symbols.js'
import { type Clock, MINUTE_MS, startOfMinute } from '../../core/time.js'
import type { HttpClient } from '../../platform/http-client/http-client.js'
import type { ShardPermit } from '../../platform/outbox/shard-leases.js'
import type { MonotonicTimers } from '../../platform/timers.js'
import type { VenueAdapter } from '../providers/exchanges/venue-adapter.js'
import { createAskVenue, type VenueHarvest, type VenueQuestion } from './ask-venue.js'
import { createVenueBackoff, type VenueRest } from './venue-backoff.js'

/** Assets that wait for one venue. So a slow venue delays few assets, and the others go on without it. */
const MAX_QUEUE = 8

/** A venue that gives this many unreadable answers in a row gets no requests for a while, like one that is down. */
const MAX_UNREADABLE = 5

export interface VenueLaneDeps {
  readonly http: HttpClient
  readonly clock: Clock
  readonly timers: MonotonicTimers
  readonly random: () => number
  /** Aborted when the process stops. */
  readonly signal: AbortSignal
}

/** The right to ask for an asset: of a shard's holder, or of a command. */
export type LanePermit = Pick<ShardPermit, 'isValid'>

export interface LaneQuestion extends Omit<VenueQuestion, 'to' | 'now'> {
  /** End of the span; by default the last whole minute before the request. */
  readonly to?: Date
}

export interface LaneAnswer {
  readonly harvest: VenueHarvest
  /** End of the requested span. */
  readonly to: Date
}

/** The state of a lane, for operators. */
export interface VenueLaneState {
  readonly venue: Venue
  /** Assets that wait or are being asked for. */
  readonly queue: number
  /** When the venue gets requests again; null while it answers. */
  readonly restUntil: Date | null
  /** The first failure of the current series; null while it answers. */
  readonly restCause: string | null
  readonly requestsInLastMinute: number
}

/** All requests of this process to one venue: one at a time, at its rate, none while it rests. */
export interface VenueLane {
  readonly adapter: VenueAdapter
  /** Free places in the queue; 0 while the venue rests. */
  room(): number
  /** Why the venue gets no requests, and until when; null while it answers. */
  rest(): VenueRest | null
  /** Null if the venue was not asked: it rests, the permit is no longer valid, or the process stops. */
  ask(question: LaneQuestion, permit: LanePermit): Promise<LaneAnswer | null>
  state(): VenueLaneState
}

/** The request is no longer wanted. */
class NotWanted extends Error {
  override readonly name = 'NotWanted'
}

/** Opens the lane of a venue. `onChange`: called when a place becomes free. */
export function openVenueLane(deps: VenueLaneDeps, adapter: VenueAdapter, onChange: () => void): VenueLane {
  const { http, clock, timers, random, signal } = deps
  const { venue } = adapter
  const backoff = createVenueBackoff(random)
  const askedAtMs: number[] = []
  let queue = 0
  let unreadable = 0
  let last: Promise<unknown> = Promise.resolve()
  let permit: LanePermit | null = null

  const rest = () => backoff.rest(clock.now())
  const forgetOld = () => {
    const since = timers.nowMs() - MINUTE_MS
    while (askedAtMs[0] !== undefined && askedAtMs[0] <= since) askedAtMs.shift()
  }
  const wanted: HttpClient = {
    request: async (request) => {
      if (signal.aborted || permit?.isValid() !== true) throw new NotWanted('the shard is another node’s')
      forgetOld()
      askedAtMs.push(timers.nowMs())
      return http.request(request)
    },
  }
  const ask = createAskVenue(wanted, adapter)
  const askInTurn = async (question: LaneQuestion, under: LanePermit): Promise<LaneAnswer | null> => {
    if (signal.aborted || !under.isValid() || rest() !== null) return null
    permit = under
    const now = clock.now()
    const to = question.to ?? startOfMinute(now)
    const harvest = await ask({ ...question, to, now })
    if (harvest.requests > 0) note(harvest)
    return { harvest, to }
  }
  const note = ({ isOut, answers, retryAfterMs, rejections }: VenueHarvest) => {
    unreadable = answers === 0 && !isOut ? unreadable + 1 : 0
    const isDown = isOut || unreadable >= MAX_UNREADABLE
    // One unreadable answer proves neither that the venue is down nor that it is up again.
    if (!isDown && answers === 0) return
    const cause = rejections.at(-1)?.reason ?? null
    backoff.note({ isOut: isDown, retryAfterMs, cause }, clock.now())
  }
  return {
    adapter,
    room: () => (rest() === null ? Math.max(0, MAX_QUEUE - queue) : 0),
    rest,
    ask: (question, under) => {
      queue += 1
      const asked = last
        .then(() => askInTurn(question, under))
        .catch((error) => {
          if (error instanceof NotWanted || signal.aborted) return null
          throw error
        })
        .finally(() => {
          queue -= 1
          onChange()
        })
      last = asked.catch(() => {
        // The caller gets the failure; the next request goes on.
      })
      return asked
    },
    state: () => {
      forgetOld()
      return {
        venue,
        queue,
        restUntil: rest()?.until ?? null,
        restCause: rest()?.firstCause ?? null,
        requestsInLastMinute: askedAtMs.length,
      }
    },
  }
}
