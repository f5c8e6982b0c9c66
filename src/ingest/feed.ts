import type { DatasetName } from '../core/datasets.js'
import type { Provider } from '../core/providers.js'
import type { RequestRate } from '../core/request-rate.js'
import type { Known, WrittenRows } from '../platform/bi-temporal/series-table.js'
import type { StageSeries } from '../platform/bi-temporal/staged-series.js'
import type { Undone } from '../platform/bi-temporal/undo-rows.js'
import type { Wholeness } from '../platform/bi-temporal/withdraw/wholeness.js'
import type { Queries, Transaction } from '../platform/database/database.js'
import type { ProviderKeyVariable } from '../platform/http-client/provider-keys.js'
import type { Schedule } from './schedule.js'

/** Provider id of synthetic rows: `source` of every seed row and of a dataset that holds them. */
export const SEED_SOURCE = 'seed'

export interface FeedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Sent by POST; absent for GET. It must not change anything at the provider, because failed requests are repeated. */
  readonly body?: string
  /** The status by which the provider says that it has no data for the request; the body is then empty. Pages only. */
  readonly noDataStatus?: number
  /** What a status says about every request with this key, by which the provider gets no more of them in the run. */
  readonly refusals?: Readonly<Record<number, string>>
  /** How often the provider may be asked; absent for a provider that is asked once in a run. */
  readonly rate?: RequestRate
}

/**
 * One item of a body: a row, or a rejection with its reason. A table with a column for each period, currency or commodity
 * is read cell by cell, any other body row by row. Each cell (or row) becomes a row, is rejected, or is counted as absent.
 * A rejected part of a row that is kept, and a rejected heading, count as read too.
 */
export type Parsed<Row> =
  | {
      readonly kind: 'row'
      readonly row: Row
      /** Where in the body, for a row that a later one may contradict; by default its key identifies it. */
      readonly position?: string
    }
  | {
      readonly kind: 'rejected'
      /** Where in the body, e.g. `line 12, USD`. */
      readonly position: string
      /** What is wrong, in a sentence that an operator can act on. */
      readonly reason: string
      /** The row that the body lists although it was rejected: its stored version is not withdrawn. */
      readonly listed?: Row
      /** The earlier row of the same key that this row contradicts. Neither of the two is kept. */
      readonly contradicts?: Row
    }

export interface ParseContext {
  /** The instant of the run: a fact dated after it is rejected. */
  readonly now: Date
  /** Called with the share of the body read so far, 0 to 1. */
  onRead(fraction: number): void
  /**
   * Called for cells (or rows) that give no row and are not rejected themselves: they have no value, are not served here,
   * equal an earlier one, are part of a row that stands for several, or are in a line or column that is rejected as a whole.
   * `cells` is 1 by default.
   */
  onAbsent(cells?: number): void
  /** The position of a line of the body in words; with the name of its file if the body has several. Absent for one file. */
  positionOf?(line: number): string
}

/** The position of a line of a body, e.g. `line 3` or `sdn.csv, line 3`. */
export function linePosition({ positionOf }: ParseContext, line: number): string {
  return positionOf === undefined ? `line ${line}` : positionOf(line)
}

/** One body of one provider: the provider and where the body is. */
interface FeedFacts {
  /** Name on the command line and in the ledger, e.g. ecb-daily. */
  readonly id: string
  readonly provider: Provider
  readonly dataset: DatasetName
  /** Name of the part of the dataset, if a provider supplies several. */
  readonly part?: string
  readonly description: string
  /** When the provider publishes, in words. */
  readonly cadence: string
  /** When the scheduler runs the feed; if absent, it runs only on request. */
  readonly schedule?: Schedule
  /** Variable with the operator's own key. Without it the feed sends no request. URLs contain it as a placeholder. */
  readonly keyVariable?: ProviderKeyVariable
  /** Names of the official files that `--file` takes, for the help text. */
  readonly fileNames?: readonly string[]
  /** `--file` may be repeated: the files are read one after another, as one body. Streams only. */
  readonly takesSeveralFiles?: true
  /** The body that ships with the gateway, as of that instant; absent for a feed that is fetched. */
  bundled?(now: Date): Uint8Array
  /** The request for the body at that instant. Absent or null for a feed without a URL. */
  request?(now: Date): FeedRequest | null
  /** Further requests, whose bodies are read after the first, as one body. Streams only. */
  moreRequests?(now: Date): readonly FeedRequest[]
}

/** A feed whose body is small enough to be read whole. It parses bytes and never fetches. */
export interface Feed<Row> extends FeedFacts {
  /** Rows and rejections in the order of the body. Throws BrokenBody when the body as a whole is not what it should be. */
  parse(body: Uint8Array, context: ParseContext): Iterable<Parsed<Row>>
}

export interface StatedSize {
  readonly request: FeedRequest
  /** Bytes of the body; null if the answer does not say. */
  read(answer: Uint8Array): number | null
}

/** A feed whose body may have any length: it is parsed as it arrives, and only a slice of it is in memory. */
export interface StreamFeed<Row> extends FeedFacts {
  /** Where the provider states the length of the body; requested together with a live body. */
  readonly statedSize?: StatedSize
  /** Like `Feed.parse`, for a stream. */
  parseStream(body: AsyncIterable<Uint8Array>, context: ParseContext): AsyncIterable<Parsed<Row>>
}

/** One body of several. */
export interface Page {
  readonly body: Uint8Array
  /** The request that the body answers; null if the body comes from a file. */
  readonly request: FeedRequest | null
}

/** A feed of several bodies of moderate size, one request for each. A file holds one of them. */
export interface PagedFeed<Row> extends FeedFacts {
  /** The first requests, in this order. */
  requests(now: Date): readonly FeedRequest[]
  /** The request for the page after that one; null after the last page. Throws BrokenBody and RetryLater. */
  next(page: Page & { readonly request: FeedRequest }): FeedRequest | null
  /** Like `Feed.parse`, for all pages together. */
  parsePages(pages: readonly Page[], context: ParseContext): Iterable<Parsed<Row>>
}

export type AnyFeed<Row> = Feed<Row> | StreamFeed<Row> | PagedFeed<Row>

/** The result of `finish`, which a sink runs after all rows are written. */
export interface Finished {
  /** Rows that it changed in addition to those of the batches. */
  readonly changed: number
  /** What it could not do and why. */
  readonly refused?: readonly { readonly position: string; readonly reason: string }[]
}

/** Writes the rows of a dataset. Calls with `tx` run inside the one transaction of the run. */
export interface Sink<Row> {
  /** Each row counts once. */
  write(tx: Transaction, rows: readonly Row[], known: Known): Promise<WrittenRows>
  /** Undoes what the run has written for the keys of these rows; for streams that find contradictions. */
  undo?(tx: Transaction, rows: readonly Row[], known: Known): Promise<Undone>
  /** Called once after the last batch, if any batch was written and none was staged. */
  finish?(tx: Transaction, known: Known, wholeness: Wholeness): Promise<Finished>
  /** Writes a body of any length without blocking other work on an embedded database; absent for short bodies. */
  readonly stage?: StageSeries<Row>
  /** Removes the synthetic rows and returns their number. */
  removeSeed(tx: Transaction): Promise<number>
  /** Instant of the newest fact among the rows (publication, not arrival). Absent: that of the run. */
  newest?(rows: readonly Row[], known: Known): Date
  /**
   * Every grain that the rows belong to, with its newest fact. Null: too many to name. Absent: the dataset has no grains.
   */
  touched?(sql: Queries, rows: readonly Row[], known: Known): Promise<TouchedGrains | null>
  /** What changes in addition to the rows belongs to their grains too. Absent: to any. */
  readonly changesTouchedOnly?: true
}

/** Grains of a dataset by name, each with its newest fact. */
export type TouchedGrains = ReadonlyMap<string, Date>

/** A feed and the sink for its rows; the row type is hidden. */
export interface BoundFeed {
  readonly feed: AnyFeed<unknown>
  readonly sink: Sink<unknown>
}

/** Binds a feed to a sink of the same row type. */
export function bindFeed<Row>(feed: AnyFeed<Row>, sink: Sink<Row>): BoundFeed {
  return { feed, sink }
}

/** A run failed. The message says why, contains no secret and may be shown. */
export class IngestError extends Error {
  override readonly name: string = 'IngestError'
}

/** The body as a whole is not what the feed expects: it is empty, an HTML page or another table. */
export class BrokenBody extends IngestError {
  override readonly name = 'BrokenBody'
}

/** The body is not in the provider's format: it is empty, a page, in another encoding, not JSON, CSV or XML, or a refusal. */
export class NotInFormat extends BrokenBody {}

/** A run failed for now, and the provider says when to try again. */
export class RetryLater extends IngestError {
  override readonly name = 'RetryLater'
  readonly retryAfterMs: number | null

  constructor(message: string, retryAfterMs: number | null) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** Parses a body as UTF-8 JSON. Throws BrokenBody with the status if it is not JSON. */
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
