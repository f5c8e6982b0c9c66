import { ApiError } from '../../../core/errors.js'

/** 429 of a burst guard. `retryAt`: from when on one more is let through. */
export function tooManyRequests(by: 'address' | 'key', retryAt: Date): ApiError {
  return new ApiError('rate_limit_exceeded', {
    message: `Too many requests in this minute from one ${by}; slow down.`,
    retryAfter: Math.ceil(retryAt.getTime() / 1000),
  })
}
