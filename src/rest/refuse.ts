import { GraphQLError } from 'graphql'
import { graphqlErrorBody, publicErrorOf } from '../graphql/errors.js'
import type { Refuse } from '../platform/door-context.js'
import { errorResponse } from './error-body.js'

/**
 * Answers in the error body of the door that was asked: the contract's own, or `errors` of GraphQL with the same
 * members. What is not an ApiError is masked and logged.
 */
export function createRefuse(upgradeUrl: string, graphqlPath: string): Refuse {
  return (error, request, door) => {
    const known = publicErrorOf(error)
    if (known.status === 500) door.log.error({ err: error }, 'request failed before its operation')
    const options = { request, requestId: door.requestId, upgradeUrl, now: door.now }
    if (new URL(request.url).pathname !== graphqlPath) return errorResponse(known, options)
    const wrapped = new GraphQLError(known.message, { originalError: known })
    const body = JSON.stringify({ errors: [graphqlErrorBody(wrapped, door.requestId, upgradeUrl)] })
    return errorResponse(known, options, body)
  }
}
