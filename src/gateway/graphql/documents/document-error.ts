import type { GraphQLError } from 'graphql'

/** A document or variables that GraphQL refuses before anything runs: syntax, validation, types of variables. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
  readonly errors: readonly GraphQLError[]

  constructor(errors: readonly GraphQLError[]) {
    super(errors[0]?.message)
    this.errors = errors
  }
}
