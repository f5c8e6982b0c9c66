import type { GraphQLSchema } from 'graphql'
import { sha256Hex } from '../../../core/canonical-json.js'
import { ApiError } from '../../../core/errors.js'
import type { GatewayPlugin } from '../operation-context.js'
import { hashOf } from './persisted-hash.js'
import { parseValidDocument } from './read-document.js'

/** More lines do not help the operator. */
const MAX_FAULTS = 20

/** Texts by their SHA-256. */
export type TrustedTexts = ReadonlyMap<string, string>

/** Returns a line for each document that cannot run, at most 20: wrong hash, syntax, schema or limits. */
export function findDocumentFaults(texts: TrustedTexts, schema: GraphQLSchema): readonly string[] {
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
    parseValidDocument(schema, text)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Runs only these documents. A request must contain the hash or exactly the same text. */
export function useTrustedDocuments(texts: TrustedTexts): GatewayPlugin {
  return {
    onParams: ({ params, setParams }) => {
      const text = texts.get(hashOf(params) ?? sha256Hex(params.query ?? ''))
      if (text === undefined || (params.query ?? text) !== text) {
        throw new ApiError('bad_request', {
          message:
            'This gateway runs only trusted documents. Send the SHA-256 of one in extensions.persistedQuery: {"version": 1, "sha256Hash": …}.',
        })
      }
      setParams({ ...params, query: text })
    },
  }
}
