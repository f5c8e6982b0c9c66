import { publicErrorOf } from '../graphql/errors.js'
import type { Refuse } from '../platform/door-context.js'
import { errorResponse } from './error-body.js'

/** Answers in the error body of the contract; what is not an ApiError is masked and logged. */
export function createRefuse(upgradeUrl: string): Refuse {
  return (error, request, door) => {
    const known = publicErrorOf(error)
    if (known.status === 500) door.log.error({ err: error }, 'request failed before its operation')
    return errorResponse(known, { request, requestId: door.requestId, upgradeUrl, now: door.now })
  }
}
