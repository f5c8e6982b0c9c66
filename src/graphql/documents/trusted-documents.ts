import type { GraphQLSchema } from 'graphql'
import { sha256Hex } from '../../core/canonical-json.js'
import { ApiError } from '../../core/errors.js'
import type { DocumentSource } from './document-source.js'
import { type DocumentReader, validDocument } from './read-document.js'

/** More lines tell the operator nothing new. */
const MAX_FAULTS = 20

/** Texts by their SHA-256. */
export type TrustedTexts = ReadonlyMap<string, string>

/** A line for each document that could not run, at most 20: wrong hash, syntax, schema or limits. */
export function documentFaultsOf(texts: TrustedTexts, schema: GraphQLSchema): readonly string[] {
  const faults: string[] = []
  for (const [hash, text] of texts) {
    const fault = faultOf(hash, text, schema)
    if (fault !== null) faults.push(`${hash}: ${fault}`)
    if (faults.length === MAX_FAULTS) break
  }
  return faults
}

function faultOf(hash: string, text: string, schema: GraphQLSchema): string | null {
  const actual = sha256Hex(text)
  if (actual !== hash) return `the SHA-256 of this document is ${actual}`
  try {
    validDocument(schema, text)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Nothing but these documents, by hash or by the very same text; who asks makes no difference to their limits. */
export function trustedDocuments(read: DocumentReader, texts: TrustedTexts): DocumentSource {
  return ({ query, hash }) => {
    const text = texts.get(hash ?? sha256Hex(query ?? ''))
    if (text !== undefined && (query ?? text) === text) return read(text, false)
    throw new ApiError('bad_request', {
      message:
        'Only trusted documents run here: send the SHA-256 of one of them as extensions.persistedQuery, {"version": 1, "sha256Hash": …}.',
    })
  }
}
