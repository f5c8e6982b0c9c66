import type { DocumentNode } from 'graphql'
import { DocumentCache } from '../documents/document-cache.js'
import type { GatewayPlugin, IsAnonymous } from '../operation-context.js'

/** Caches valid documents, so that each is parsed and validated once. */
export function useDocumentCache(isAnonymous: IsAnonymous): GatewayPlugin {
  const cache = new DocumentCache()
  const validDocuments = new WeakSet<DocumentNode>()
  return {
    onParse: ({ params: { source }, context, setParsedDocument }) => {
      const known = cache.get(String(source), isAnonymous(context))
      if (known !== null) setParsedDocument(known)
    },
    onValidate: ({ params: { documentAST }, context, setResult }) => {
      if (validDocuments.has(documentAST)) {
        setResult([])
        return
      }
      return ({ valid }) => {
        if (!valid) return
        validDocuments.add(documentAST)
        cache.set(context.params.query ?? '', documentAST, isAnonymous(context))
      }
    },
  }
}
