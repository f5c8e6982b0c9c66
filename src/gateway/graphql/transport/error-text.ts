import { GraphQLError } from 'graphql'
import type { ApiError } from '../../../core/errors.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import { graphqlErrorBody, toPublicError } from '../errors.js'

export interface ErrorTextOptions {
  /** URL of the page that sells higher tiers; null if the operator names none. */
  readonly upgradeUrl: string | null
}

type ErrorContext = Pick<Exchange, 'requestId' | 'now'>

/** Writes the value of the member `errors`. */
export function errorsText(
  errors: readonly GraphQLError[],
  { requestId, now }: ErrorContext,
  { upgradeUrl }: ErrorTextOptions,
): string {
  return JSON.stringify(errors.map((error) => graphqlErrorBody(error, requestId, upgradeUrl, now)))
}

/** The error with the highest status, which a response without data has. */
export function mostSevere(errors: readonly unknown[]): ApiError {
  return errors.map(toPublicError).reduce((worst, next) => (next.status > worst.status ? next : worst))
}

/** Converts an ApiError to a GraphQL error without a position in the document. */
export function withoutPath(error: ApiError): GraphQLError {
  return new GraphQLError(error.message, { originalError: error })
}
