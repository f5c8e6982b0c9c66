import type { GraphQLError } from 'graphql'

/** Errors of syntax, validation or variables, which GraphQL reports before anything runs. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
  readonly errors: readonly GraphQLError[]

  constructor(errors: readonly GraphQLError[]) {
    super(errors[0]?.message)
    this.errors = errors
  }
}
