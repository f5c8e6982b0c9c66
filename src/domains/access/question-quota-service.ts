import { ApiError } from '../../core/errors.js'
import { endOfHour, startOfHour } from '../../core/time.js'
import type { Charge } from '../../platform/quota/counters.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { requireCaller } from '../../policy/decide.js'
import { countersPort } from './model.js'

/** How many requests to a third party an account may cause in a clock hour (UTC), whatever the response. */
export interface QuestionQuota {
  /** Names its counters, e.g. `onchain asked`. */
  readonly name: string
  readonly perHour: number
}

/** The charge for a number of third-party requests of the caller's account in this hour. Throws 401 for a caller without an account. */
export function questionCharge(
  { name, perHour }: QuestionQuota,
  units: number,
  { principal, now }: RequestContext,
): Charge {
  const { accountId, meterId } = requireCaller(principal)
  const hour = startOfHour(now).toISOString().slice(0, 13)
  const key = `${name} ${hour} ${meterId}`
  return { key, owner: accountId, quota: perHour, units, windowEnd: endOfHour(now) }
}

/** Consumes all units of a charge, or none: returns false when the quota does not have enough units left. */
export async function takeCharge(charge: Charge, { ports, now }: RequestContext): Promise<boolean> {
  return charge.units === 0 || (await ports.get(countersPort).consume([charge], now)).accepted
}

/** Refunds units of requests that were not sent. */
export async function giveBackCharge(charge: Charge, { ports, now }: RequestContext): Promise<void> {
  if (charge.units > 0) await ports.get(countersPort).refund([charge], now)
}

/** The 429 of an account that has used up its third-party requests of the hour. */
export function questionsSpent(message: string, { windowEnd }: Charge): ApiError {
  return new ApiError('rate_limit_exceeded', { message, retryAfter: Math.ceil(windowEnd.getTime() / 1000) })
}
