import type { Given } from '../../../core/argument-parsers.js'
import type { AsOf, KnowledgeBasis } from '../../../core/as-of.js'
import { ApiError, invalid } from '../../../core/errors.js'
import type { KeyRow } from './key-store.js'

export interface RequestedClock {
  readonly as_of: Date
  readonly basis?: Given<KnowledgeBasis>
}

/** Parses the clock of a new key; null for a key without one. 422 for an instant in the future. */
export function parseKeyClock(requested: Given<RequestedClock>, now: Date): AsOf | null {
  if (requested == null) return null
  assertPast(requested.as_of, now)
  return { at: requested.as_of, basis: requested.basis ?? 'observed' }
}

/** The clock of a stored key; null for a key without one. */
export function keyClockOf({ clockAsOf, clockBasis }: Pick<KeyRow, 'clockAsOf' | 'clockBasis'>): AsOf | null {
  return clockAsOf === null || clockBasis === null ? null : { at: clockAsOf, basis: clockBasis }
}

/** Throws 409 for a key without a clock, and 422 for an instant before its clock or in the future, or for another basis. */
export function assertAdvances(clock: AsOf | null, to: RequestedClock, now: Date): void {
  if (clock === null)
    throw new ApiError('conflict', { message: 'This key has no clock. Create a key with one instead.' })
  assertPast(to.as_of, now)
  if (to.as_of < clock.at)
    throw invalid({
      field: 'clock.as_of',
      message: `must not be before ${clock.at.toISOString()}: a clock is never set back; create another key`,
    })
  if (to.basis != null && to.basis !== clock.basis)
    throw invalid({ field: 'clock.basis', message: `must stay ${clock.basis}; create another key` })
}

function assertPast(asOf: Date, now: Date): void {
  if (asOf <= now) return
  throw invalid({ field: 'clock.as_of', message: `must not be in the future; got ${asOf.toISOString()}` })
}
