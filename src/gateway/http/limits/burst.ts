import { ApiError } from '../../../core/errors.js'

/** Creates the 429 of a burst guard. `retryAt` is when the guard accepts the next request. */
export function tooManyRequests(by: 'address' | 'key', retryAt: Date): ApiError {
  return new ApiError('rate_limit_exceeded', {
    message: `Too many requests in this minute from this ${by}; slow down.`,
    retryAfter: Math.ceil(retryAt.getTime() / 1000),
  })
}
