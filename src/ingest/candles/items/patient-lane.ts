import type { Venue } from '../../../core/consensus/venue-symbols.js'
import type { Clock } from '../../../core/time.js'
import type { Timers } from '../../../platform/timers.js'
import type { LaneQuestion, VenueLane } from '../venue-lane.js'
import type { ItemResult } from './work-window.js'

/** Failures in a row after which a run goes on without the venue: after pauses of four minutes in all. */
const MAX_FAILURES = 5

/** The longest pause that a run waits for a venue. */
const MAX_PAUSE_MS = 600_000

export interface PatienceDeps {
  readonly clock: Clock
  readonly timers: Timers
  /** Aborted when the command is interrupted. */
  readonly signal: AbortSignal
  /** Called before a wait. */
  readonly onPause: (pause: { readonly venue: Venue; readonly ms: number; readonly cause: string }) => void
}

/** A lane that waits while its venue rests, and leaves it out of the rest of the run if that fails. */
export interface PatientLane {
  readonly venue: Venue
  ask(question: LaneQuestion): Promise<ItemResult>
  /** Why the venue was left out; null while it is used. */
  givenUp(): string | null
}

/** A command holds no shard: the rows that it writes are the same whoever else writes them. */
const PERMIT = { isValid: () => true }

export function createPatientLane(lane: VenueLane, deps: PatienceDeps): PatientLane {
  const { clock, timers, signal, onPause } = deps
  const { venue } = lane.adapter
  const notListed = new Set<string>()
  let givenUp: string | null = null
  /** Waits for the end of a rest. False if the venue is given up. */
  const isReady = async (): Promise<boolean> => {
    const rest = lane.rest()
    if (rest === null || givenUp !== null) return givenUp === null
    const ms = rest.until.getTime() - clock.now().getTime()
    if (rest.failures >= MAX_FAILURES || ms > MAX_PAUSE_MS) {
      givenUp = rest.firstCause
      return false
    }
    onPause({ venue, ms, cause: rest.firstCause })
    await timers.sleep(ms, signal)
    signal.throwIfAborted()
    return true
  }
  return {
    venue,
    givenUp: () => givenUp,
    ask: async (question) => {
      if (notListed.has(question.slug)) return { venue, kind: 'not_listed', harvest: null }
      let last: ItemResult = { venue, kind: 'missed', harvest: null }
      let requests = 0
      while (await isReady()) {
        const answer = await lane.ask(question, PERMIT)
        signal.throwIfAborted()
        if (answer === null) continue
        requests += answer.harvest.requests
        last = toResult({ ...answer.harvest, requests })
        if (!answer.harvest.isOut) break
      }
      if (last.kind === 'not_listed') notListed.add(question.slug)
      return last
    },
  }
}

/** An item with nothing but rejected rows is not done. */
function toResult(harvest: NonNullable<ItemResult['harvest']>): ItemResult {
  const { venue, isListed, isWhole, bars, rejections } = harvest
  if (!isListed) return { venue, kind: 'not_listed', harvest }
  const isDone = isWhole && (bars.length > 0 || rejections.length === 0)
  return { venue, kind: isDone ? 'done' : 'missed', harvest }
}
