import { sha256Hex } from '../../../core/canonical-json.js'
import { ApiError } from '../../../core/errors.js'
import type { TrustedTexts } from '../documents/trusted-documents.js'
import type { GatewayPlugin } from '../operation-context.js'
import { hashOf } from './persisted-hash.js'

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
