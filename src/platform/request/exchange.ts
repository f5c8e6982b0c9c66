import type { NameOperation } from '../../core/operation-names.js'
import type { Logger } from '../logger.js'

/** A request, independent of the server that received it. */
export interface Exchange {
  /** Upper case. */
  readonly method: string
  /** The path as sent, percent-encoded, without the query string; never empty. */
  readonly path: string
  /** The query string with its question mark and without a key. Empty without a query. */
  readonly search: string
  /** A key that stood in the query. */
  readonly urlKey?: string
  /** Value of a header by lower-case name, repeated ones joined by commas; null where it was not sent. */
  header(name: string): string | null
  /** Null where none was sent. */
  readonly body: Buffer | null
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
  /** Calls `release` when the last byte of the response has left, or the connection ends. Ends it after `maxMs`. */
  whenSent(release: () => void, maxMs: number): void
  /** The client's own id if it is valid, else a new one. */
  readonly requestId: string
  /** One instant for the whole request, so that all parts of its reply agree. */
  readonly now: Date
  /** Milliseconds of a steady clock, for durations. */
  readonly startedAt: number
  /** Keyed hash of the client's address, for throttles and the audit; never the address itself. */
  readonly clientAddress: string
  /** Adds the request id to each line. */
  readonly log: Logger
  /** The connection carries messages: each chunk of a streamed body is one message, the JSON of an event. */
  readonly takesMessages?: true
  /** The largest JSON body that the client accepts. A request that surely has a larger one is refused before it runs. */
  readonly maxBytes?: number
  /** How errors name operations when the request came through another interface; by default they name routes. */
  readonly nameOperation?: NameOperation
}

/** A body. A stream is pulled no faster than the client reads. */
export type ReplyBody = string | Buffer | AsyncIterable<Uint8Array> | null

/** Content codings of HTTP, the preferred one first. */
export const ENCODINGS = ['br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** A response before it is sent. */
export interface Reply {
  readonly status: number
  /** Lower-case names and values in turn. */
  readonly headers: readonly string[]
  readonly body: ReplyBody
  /** Encoding of a text body; UTF-8 by default. */
  readonly charset?: 'utf8' | 'latin1'
  /** The compressed body, if one is cached. Otherwise the body is compressed when it is sent. */
  readonly encoded?: (encoding: Encoding) => Buffer | Promise<Buffer>
}

/** A reply with all headers except its length. The list is not shared, so the sender may append to it. */
export interface FinishedReply extends Reply {
  readonly headers: string[]
}
