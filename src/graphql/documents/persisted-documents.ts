import { GraphQLError } from 'graphql'
import { sha256Hex } from '../../core/canonical-json.js'
import { ApiError } from '../../core/errors.js'
import type { OperationStore } from '../../platform/operation-store/operation-store.js'
import type { Principal } from '../../policy/principal.js'
import type { KnownDocument } from './document-cache.js'
import { MAX_CACHED_CHARS } from './document-cache.js'
import { DocumentError } from './document-error.js'
import type { DocumentSource } from './document-source.js'
import type { DocumentReader } from './read-document.js'

/** Clients of Apollo's protocol know the error by this message, and send the text. */
const NOT_FOUND = 'PersistedQueryNotFound'

/** All callers without a key share what one account may keep. */
const ANONYMOUS_OWNER = 'anonymous'

/**
 * Documents by text, or by a hash that came with its text before: automatic persisted queries. Only valid documents are
 * kept, and none that is too long to be cached.
 */
export function persistedDocuments(read: DocumentReader, store: OperationStore): DocumentSource {
  return ({ query, hash }, principal) => {
    const isAnonymous = principal.kind === 'anonymous'
    if (hash === null) return read(query ?? '', isAnonymous)
    const owner = ownerOf(principal)
    if (query === null) return find(hash, owner, isAnonymous)
    refuseOtherHash(query, hash)
    const known = read(query, isAnonymous)
    if (query.length <= MAX_CACHED_CHARS) store.keep(hash, query, owner)
    return known
  }

  async function find(hash: string, owner: string, isAnonymous: boolean): Promise<KnownDocument> {
    const text = await store.find(hash, owner)
    if (text !== null) return read(text, isAnonymous)
    const originalError = new ApiError('not_found', { message: NOT_FOUND })
    throw new DocumentError([new GraphQLError(NOT_FOUND, { originalError })])
  }
}

function ownerOf(principal: Principal): string {
  return principal.kind === 'anonymous' ? ANONYMOUS_OWNER : principal.accountId
}

function refuseOtherHash(query: string, hash: string): void {
  const actual = sha256Hex(query)
  if (actual === hash) return
  throw new ApiError('bad_request', {
    message: `extensions.persistedQuery.sha256Hash is not the SHA-256 of query, which is ${actual}.`,
  })
}
