import { ApiError } from '../../../core/errors.js'
import type { BurstRefusal } from '../../../platform/quota/burst-guard.js'

/** Creates the 429 of a burst guard. No tier has a higher limit, so the error offers no upgrade. */
export function tooManyRequests(by: 'address' | 'key', { limit, retryAt }: BurstRefusal): ApiError {
  return new ApiError('rate_limit_exceeded', {
    message: `Too many requests in this minute from this ${by}; slow down.`,
    limit,
    retryAfter: Math.ceil(retryAt.getTime() / 1000),
  })
}
