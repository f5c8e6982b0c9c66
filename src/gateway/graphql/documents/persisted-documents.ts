import { GraphQLError } from 'graphql'
import { sha256Hex } from '../../../core/canonical-json.js'
import { ApiError } from '../../../core/errors.js'
import type { OperationStore } from '../../../platform/operation-store/operation-store.js'
import type { Principal } from '../../../policy/principal.js'
import type { GatewayPlugin } from '../operation-context.js'
import { MAX_CACHED_CHARS } from './document-cache.js'
import { DocumentError } from './document-error.js'
import { hashOf } from './persisted-hash.js'

/** Clients of Apollo's protocol recognise the error by this message or code, and then send the text. */
const NOT_FOUND = 'PersistedQueryNotFound'
const NOT_FOUND_CODE = 'PERSISTED_QUERY_NOT_FOUND'

/** All callers without a key share the storage of one account. */
const ANONYMOUS_OWNER = 'anonymous'

/** Texts of the published operations by their SHA-256. */
export type PublishedTexts = ReadonlyMap<string, string>

/**
 * Automatic persisted queries: a client sends a text with its hash once, and later only the hash. The hashes of published
 * operations are known from the start; the first request without a text calls `published`. Only valid documents that are
 * short enough for the cache are stored.
 */
export function usePersistedDocuments(
  store: OperationStore,
  published: () => PublishedTexts | Promise<PublishedTexts> = () => new Map(),
): GatewayPlugin {
  let publishedTexts: PublishedTexts | undefined
  const find = async (hash: string, owner: string): Promise<string> => {
    publishedTexts ??= await published()
    const text = publishedTexts.get(hash) ?? (await store.find(hash, owner))
    if (text !== null) return text
    const originalError = new ApiError('not_found', { message: NOT_FOUND, graphqlCode: NOT_FOUND_CODE })
    throw new DocumentError([new GraphQLError(NOT_FOUND, { originalError })])
  }
  return {
    onParams: ({ params, setParams, context }) => {
      const hash = hashOf(params)
      if (hash === null) return
      if (params.query) return assertHash(params.query, hash)
      return find(hash, ownerOf(context.principal)).then((query) => setParams({ ...params, query }))
    },
    onValidate: ({ context }) => {
      const hash = hashOf(context.params)
      const text = context.params.query ?? ''
      if (hash === null || text.length > MAX_CACHED_CHARS) return
      return ({ valid }) => {
        if (valid) store.keep(hash, text, ownerOf(context.principal))
      }
    },
  }
}

function ownerOf(principal: Principal): string {
  return principal.kind === 'anonymous' ? ANONYMOUS_OWNER : principal.accountId
}

function assertHash(query: string, hash: string): void {
  const actual = sha256Hex(query)
  if (actual === hash) return
  throw new ApiError('bad_request', {
    message: `extensions.persistedQuery.sha256Hash is not the SHA-256 of query, which is ${actual}.`,
  })
}
