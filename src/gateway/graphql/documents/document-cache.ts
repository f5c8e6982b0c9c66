import type { DocumentNode } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { GatewayPlugin, IsAnonymous } from '../operation-context.js'

/** Memory of all cached documents. It holds thousands of operations and is small compared with the process. */
const MAX_BYTES = 16 * 2 ** 20

/** Memory for documents of callers without a key, so that they cannot evict those of callers with a key. */
const MAX_ANONYMOUS_BYTES = 2 ** 20

/** A document with the maximum number of tokens fits. Longer texts are mostly comments or values and rarely repeat. */
export const MAX_CACHED_CHARS = 32 * 1024

/** Measured on Node 20 with graphql 16: at most 510 bytes of syntax tree a token, comments included. */
const BYTES_PER_TOKEN = 600
const BYTES_PER_CHAR = 2
const BYTES_PER_ENTRY = 2_048

/** A cache of valid documents by text, limited by memory. */
export class DocumentCache {
  readonly #documents: LRUCache<string, DocumentNode>
  readonly #ofAnonymous: LRUCache<string, DocumentNode>

  constructor(maxBytes = MAX_BYTES) {
    const anonymousBytes = Math.min(MAX_ANONYMOUS_BYTES, maxBytes / 2)
    const sizeCalculation = bytesOf
    this.#documents = new LRUCache({ maxSize: maxBytes - anonymousBytes, sizeCalculation })
    this.#ofAnonymous = new LRUCache({ maxSize: anonymousBytes, sizeCalculation })
  }

  get(text: string, isAnonymous: boolean): DocumentNode | null {
    if (!isAnonymous) return this.#documents.get(text) ?? null
    // Callers without a key may use documents of callers with one, but do not refresh them in the LRU order.
    return this.#documents.peek(text) ?? this.#ofAnonymous.get(text) ?? null
  }

  set(text: string, document: DocumentNode, isAnonymous: boolean): void {
    if (text.length > MAX_CACHED_CHARS) return
    const documents = isAnonymous ? this.#ofAnonymous : this.#documents
    documents.set(text, document)
  }

  /** Approximate memory of the documents. */
  get bytes(): number {
    return this.#documents.calculatedSize + this.#ofAnonymous.calculatedSize
  }
}

function bytesOf(document: DocumentNode, text: string): number {
  let tokens = 0
  // The tree keeps the tokens of its text alive, comments too, which the token limit does not count.
  for (let token = document.loc?.startToken ?? null; token !== null; token = token.next) tokens += 1
  return BYTES_PER_ENTRY + BYTES_PER_CHAR * text.length + BYTES_PER_TOKEN * tokens
}

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
