import { GraphQLError } from 'graphql'
import type { ApiError } from '../../../core/errors.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import { graphqlErrorBody, toPublicError } from '../errors.js'

export interface ErrorTextOptions {
  /** Address of the page that sells higher tiers. */
  readonly upgradeUrl: string
}

type ErrorContext = Pick<Exchange, 'requestId' | 'now'>

/** The member `errors` of a body, without its name. */
export function errorsText(
  errors: readonly GraphQLError[],
  { requestId, now }: ErrorContext,
  { upgradeUrl }: ErrorTextOptions,
): string {
  return JSON.stringify(errors.map((error) => graphqlErrorBody(error, requestId, upgradeUrl, now)))
}

/** The error with the highest status: that of the whole when nothing of it ran. */
export function mostSevere(errors: readonly unknown[]): ApiError {
  return errors.map(toPublicError).reduce((worst, next) => (next.status > worst.status ? next : worst))
}

/** An error of ours in the form that GraphQL has for it, without a place in the document. */
export function withoutPath(error: ApiError): GraphQLError {
  return new GraphQLError(error.message, { originalError: error })
}
