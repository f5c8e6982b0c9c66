import type { GraphQLParams } from 'graphql-yoga'

/** The SHA-256 of the document that is sent with a request or in place of its text; null: none. */
export function hashOf({ extensions }: GraphQLParams): string | null {
  // It was checked where the parameters were read.
  const persisted = extensions?.persistedQuery as { readonly sha256Hash: string } | undefined
  return persisted?.sha256Hash ?? null
}
