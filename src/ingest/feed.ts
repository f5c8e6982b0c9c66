import type { DatasetName } from '../core/datasets.js'
import type { Known, WrittenRows } from '../platform/bi-temporal/series-table.js'
import type { StageSeries } from '../platform/bi-temporal/staged-series.js'
import type { Undone } from '../platform/bi-temporal/undo-rows.js'
import type { Wholeness } from '../platform/bi-temporal/wholeness.js'
import type { Transaction } from '../platform/database/database.js'
import type { ProviderKeyVariable } from '../platform/http-client/provider-keys.js'
import type { Schedule } from './schedule.js'

/** Provider id of synthetic rows: `source` of every seed row and of a dataset that holds them. */
export const SEED_SOURCE = 'seed'

/** Who publishes the rows of a feed, and on what terms. */
export interface Provider {
  /** Short and stable, e.g. ecb: the `source` of its rows. */
  readonly id: string
  readonly name: string
  readonly url: string
  readonly licence: string
  /** The credit line that the licence asks for. */
  readonly attribution: string
  readonly disclaimer: string
  readonly licensedForCommercialUse: boolean
}

export interface FeedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /**
   * How long the provider shuts an address out that asks too fast, milliseconds; it then answers 403, 429 or a page in HTML,
   * each of which is RetryLater. Left out: it is not known to.
   */
  readonly shutOutMs?: number
}

/**
 * One thing read from a body: a row, or why something in it is none. A table with a column for each period, currency or
 * commodity is read cell by cell, any other body row by row. Each cell (or row) is a row here, is rejected, or is counted as
 * absent; a refused part of a row that is kept, and a refused heading, count as read too.
 */
export type Parsed<Row> =
  | {
      readonly kind: 'row'
      readonly row: Row
      /** Where in the body, for a row that a later one may contradict; left out: its key names it. */
      readonly position?: string
    }
  | {
      readonly kind: 'rejected'
      /** Where in the body, e.g. `line 12, USD`. */
      readonly position: string
      /** What is wrong, in words an operator can act on. */
      readonly reason: string
      /** Says that the body lists it nevertheless: what is stored of it is not withdrawn. */
      readonly listed?: Row
      /** It says something else of the same key than an earlier row did: neither is kept. Both, named by that row. */
      readonly contradicts?: Row
    }

export interface ParseContext {
  /** The instant of the run: a fact dated after it is rejected. */
  readonly now: Date
  /** Hears the share of the body read so far, 0 to 1. */
  onRead(fraction: number): void
  /**
   * Hears of cells (or rows) that give no row and are not refused by themselves: without a value, not served here, the same as
   * an earlier one, part of a row that stands for several, or of a line or column that is refused as a whole. One when left out.
   */
  onAbsent(cells?: number): void
}

/** One body of one provider: who sends it, where it is. */
interface FeedFacts {
  /** Name on the command line and in the ledger, e.g. ecb-daily. */
  readonly id: string
  readonly provider: Provider
  readonly dataset: DatasetName
  /** Name of the part of the dataset, where a provider gives several. */
  readonly part?: string
  readonly description: string
  /** When the provider has something new, in words. */
  readonly cadence: string
  /** When the feed runs by itself; left out: when it is asked for only. */
  readonly schedule?: Schedule
  /** Variable with the operator's own key, without which the provider is not asked; addresses have it as a placeholder. */
  readonly keyVariable?: ProviderKeyVariable
  /** Names of the official files that `--file` takes, for the help text. */
  readonly fileNames: readonly string[]
  /** `--file` may be given several times: the files are read one after the other, as one body. Streams only. */
  readonly takesSeveralFiles?: true
  /** The body that ships with the gateway, as of that instant; left out for a feed that is asked for. */
  bundled?(now: Date): Uint8Array
  /** What to ask for at that instant; null for a feed that has no address. */
  request(now: Date): FeedRequest | null
  /** What more is asked for and read behind it, as one body. Streams only. */
  moreRequests?(now: Date): readonly FeedRequest[]
}

/** A feed whose body is small enough to be read whole. It reads bytes and never fetches. */
export interface Feed<Row> extends FeedFacts {
  /** Rows and rejections in the order of the body. Throws BrokenBody when the body as a whole is not what it should be. */
  parse(body: Uint8Array, context: ParseContext): Iterable<Parsed<Row>>
}

export interface StatedSize {
  readonly request: FeedRequest
  /** Bytes of the body; null where the answer does not say. */
  read(answer: Uint8Array): number | null
}

/** A feed whose body may be of any length: it is read as it arrives, and no more than a slice of it is held. */
export interface StreamFeed<Row> extends FeedFacts {
  /** Where the provider states how long the body is; asked for with a live body. */
  readonly statedSize?: StatedSize
  /** As `parse` of a feed that reads its body whole. */
  parseStream(body: AsyncIterable<Uint8Array>, context: ParseContext): AsyncIterable<Parsed<Row>>
}

/** One body of several. */
export interface Page {
  readonly body: Uint8Array
  /** What it answers; null: it comes from a file. */
  readonly request: FeedRequest | null
}

/** A feed of several bodies of moderate size, each asked for by itself. A file holds one of them. */
export interface PagedFeed<Row> extends FeedFacts {
  /** All that is asked at first, in this order. */
  requests(now: Date): readonly FeedRequest[]
  /** What to ask behind that page; null: nothing more. Throws BrokenBody and RetryLater. */
  next(page: Page & { readonly request: FeedRequest }): FeedRequest | null
  /** Least time between two requests, milliseconds. */
  readonly pauseMs: number
  /** As `parse` of a feed with one body, of all pages together. */
  parsePages(pages: readonly Page[], context: ParseContext): Iterable<Parsed<Row>>
}

export type AnyFeed<Row> = Feed<Row> | StreamFeed<Row> | PagedFeed<Row>

/** What a sink did when all rows were written. */
export interface Finished {
  /** Rows that it changed beside those of the batches. */
  readonly changed: number
  /** What it could not do, and why. */
  readonly refused?: readonly { readonly position: string; readonly reason: string }[]
}

/** Where the rows of a dataset go. Calls with `tx` are made inside the one transaction of the run. */
export interface Sink<Row> {
  /** Each row counts once. */
  write(tx: Transaction, rows: readonly Row[], known: Known): Promise<WrittenRows>
  /** Takes back what the run has written of the keys of these rows; for streams that find contradictions. */
  undo?(tx: Transaction, rows: readonly Row[], known: Known): Promise<Undone>
  /** Called once after the last batch, where any was written and none staged. */
  finish?(tx: Transaction, known: Known, wholeness: Wholeness): Promise<Finished>
  /** Writes a body of any length without holding up others on an embedded database; left out where bodies are short. */
  readonly stage?: StageSeries<Row>
  /** Removes the synthetic rows, says how many they were. */
  removeSeed(tx: Transaction): Promise<number>
  /** Instant of the newest fact among the rows (publication, not arrival). */
  newest(rows: readonly Row[], known: Known): Date
}

/** A feed with the sink for its rows; the type of the row is their own affair. */
export interface BoundFeed {
  readonly feed: AnyFeed<unknown>
  readonly sink: Sink<unknown>
}

/** Puts a feed and a sink of the same row type together. */
export function bindFeed<Row>(feed: AnyFeed<Row>, sink: Sink<Row>): BoundFeed {
  return { feed, sink }
}

/** A run could not be done; the message says why in words that carry no secret and may be shown. */
export class IngestError extends Error {
  override readonly name: string = 'IngestError'
}

/** The body as a whole is not what the feed reads: empty, an HTML page, another table. */
export class BrokenBody extends IngestError {
  override readonly name = 'BrokenBody'
}

/** The body is not even of the kind that the provider sends: nothing, a page, another encoding, no JSON, CSV or XML. */
export class NotInFormat extends BrokenBody {}

/** A run could not be done now, and the provider says when to try again. */
export class RetryLater extends IngestError {
  override readonly name = 'RetryLater'
  readonly retryAfterMs: number | null

  constructor(message: string, retryAfterMs: number | null) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** The JSON of a body in UTF-8; throws BrokenBody that names the status where it is none. */
export function jsonOfBody(body: Uint8Array, status: number): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (cause) {
    throw new NotInFormat(`the body is not JSON (status ${status})`, { cause })
  }
}

/** A text from outside, safe to quote in a reason: one line, printable, at most 40 characters. */
export function quoted(text: string): string {
  const printable = text.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '?')
  return `"${printable.length > 40 ? `${printable.slice(0, 39)}…` : printable}"`
}
