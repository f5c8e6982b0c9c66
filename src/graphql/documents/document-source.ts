import type { Principal } from '../../policy/principal.js'
import type { KnownDocument } from './document-cache.js'

/** What a request says of its document: its text, its hash, or both; never neither. */
export interface AskedDocument {
  readonly query: string | null
  /** SHA-256 of the text, 64 lower-case hex digits. */
  readonly hash: string | null
}

/** Finds the valid document that a request asks for. Throws DocumentError, and ApiError for our limits. */
export type DocumentSource = (
  asked: AskedDocument,
  principal: Principal,
) => KnownDocument | Promise<KnownDocument>
