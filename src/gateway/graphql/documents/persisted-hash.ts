import type { GraphQLParams } from 'graphql-yoga'

/** The SHA-256 that a request sends with its document or instead of it; null if it sends none. */
export function hashOf({ extensions }: GraphQLParams): string | null {
  // `parseParameters` has checked it.
  const persisted = extensions?.persistedQuery as { readonly sha256Hash: string } | undefined
  return persisted?.sha256Hash ?? null
}
