import type { BarVenue } from '../../../core/consensus/venue-symbols.js'
import {
  type DayAnswer,
  type DayQuestion,
  type DayReading,
  type DaySource,
  NOTHING_READ,
} from './day-source.js'

/**
 * Pauses before a venue that does not answer gets another request, about five minutes in all. A backfill takes
 * hours anyway.
 */
const PAUSES_MS = [5_000, 30_000, 60_000, 180_000] as const

/** The longest pause that a venue may ask for; beyond it the run goes on without the venue. */
const MAX_PAUSE_MS = 600_000

/** After this many unreadable days in a row the run goes on without the venue. */
const MAX_BROKEN_DAYS = 5

/** Waits before the next request to a venue that does not answer. */
export type Wait = (
  ms: number,
  out: { readonly venue: BarVenue; readonly reason: string },
) => Promise<unknown>

/** The result of a day at one venue: the counts of the last attempt, and the requests of all attempts. */
export interface RetriedAnswer extends DayReading {
  /** Null if the venue is left out of the rest of the run. */
  readonly answer: DayAnswer | null
}

/** A source that retries a venue, and leaves it out of the rest of the run if that fails. */
export interface RetryingSource extends Pick<DaySource, 'venue' | 'provider'> {
  ask(question: DayQuestion): Promise<RetriedAnswer>
  /** Why the venue was left out; null while it is used. */
  readonly givenUp: string | null
}

export function retryingSource(source: DaySource, wait: Wait): RetryingSource {
  const notListed = new Set<string>()
  let brokenDays = 0
  let givenUp: string | null = null
  const note = (answer: DayAnswer, question: DayQuestion): void => {
    if (answer.kind === 'not_listed') notListed.add(question.slug)
    brokenDays = answer.kind === 'incomplete' ? brokenDays + 1 : 0
    if (answer.kind === 'incomplete' && (answer.isOut || brokenDays >= MAX_BROKEN_DAYS))
      givenUp = answer.reason
  }
  return {
    venue: source.venue,
    provider: source.provider,
    get givenUp() {
      return givenUp
    },
    ask: async (question) => {
      if (givenUp !== null) return { answer: null, ...NOTHING_READ }
      if (notListed.has(question.slug)) return { answer: { kind: 'not_listed' }, ...NOTHING_READ }
      const answered = await askWithRetries(source, question, wait)
      note(answered.answer, question)
      return answered
    },
  }
}

async function askWithRetries(source: DaySource, question: DayQuestion, wait: Wait) {
  let requests = 0
  for (const pauseMs of [...PAUSES_MS, null]) {
    const answered = await source.ask(question)
    requests += answered.requests
    const { answer } = answered
    if (answer.kind !== 'incomplete' || !answer.isOut || pauseMs === null) return { ...answered, requests }
    const ms = Math.max(pauseMs, answer.retryAfterMs ?? 0)
    if (ms > MAX_PAUSE_MS) return { ...answered, requests }
    await wait(ms, { venue: source.venue, reason: answer.reason })
  }
  throw new Error('the last pause is missing')
}
