import type { DatasetName } from '../../core/datasets.js'
import type { Cost, Price } from '../../policy/price.js'
import type { Exchange, Reply, ReplyBody } from './exchange.js'
import type { RequestContext } from './request-context.js'

/** One style of asking, REST or GraphQL. The pipeline does the rest: who asks, limits, charge, cache, headers, log. */
export interface Transport {
  /** For the labels of metrics. */
  readonly name: 'rest' | 'graphql'
  /** Finds what a request is addressed to. Never throws: what does not exist is refused by `prepare`. */
  identify(exchange: Exchange): Target
  /** The text around the JSON of a success: none in REST; in GraphQL it is the `data` beside its cost. */
  frame(cost: Cost | null): Frame
  /** The reply to an error in the form of this transport; what is not an ApiError is masked, and logged. */
  refuse(error: unknown, exchange: Exchange): Reply
}

/** Text before and after the JSON of a success, in ASCII; `head` is always the same. */
export interface Frame {
  readonly head: string
  readonly tail: string
}

/** What a request is addressed to: a route, or the GraphQL endpoint. */
export interface Target {
  /** For the labels of metrics: the path of the route, its arguments named and not filled in; null: there is no such route. */
  readonly route: string | null
  /** Open to everybody: credentials are not looked at. */
  readonly isOpen: boolean
  /**
   * Asked where the credentials are refused: whether nothing but what is open is asked for, so that they make no difference.
   * Left out: `isOpen` says all.
   */
  asksOpenOnly?(): Promise<boolean>
  /** Headers of each reply that is no error: lower-case names and values in turn. */
  readonly headers: readonly string[]
  /**
   * Finds out what the request asks and whether it may: syntax, access, arguments, price. Nothing has run and nothing is
   * charged yet. Throws what is refused as a whole. A Reply: answered without running anything of ours.
   */
  prepare(context: RequestContext): Promise<PreparedOperation | Reply>
}

/** A request that may run. */
export interface PreparedOperation {
  /** Root fields by comma, for log and metrics; null where there are none. */
  readonly operation: string | null
  readonly price: Price
  /** The datasets the reply is made from; empty where it is made from others' state alone. */
  readonly reads: readonly DatasetName[]
  /** Whether it is made from these alone, so that the reply may be given again to who asks the same. */
  readonly isCacheable: boolean
  /** It is made from more than datasets, but neither from the clock nor by a third party: its tag is that of its body. */
  readonly isBodyTagged?: boolean
  /** It depends on the clock or on a third party, which is asked before it is known whether it has changed. */
  readonly isUnsteady?: boolean
  /** A client asks again before each use of it, however fresh it is. */
  readonly isAlwaysRevalidated?: boolean
  /** It waits for what comes next, so nobody waits for its reply, and it takes no place among those that run. */
  readonly isWaiting: boolean
  /** The reply to a dry run: what it would cost, and what would be refused. */
  dryRun(cost: Cost): Reply
  /** May be called again with another context, when a commit came between two statements of the first run. */
  run(context: RequestContext): Promise<RunResult>
}

/** What a run made. */
export interface RunResult {
  readonly status: number
  /** Lower-case names and values in turn; without what the pipeline adds. */
  readonly headers: readonly string[]
  /** A success that is all there: what `If-None-Match` asks about. */
  readonly isComplete: boolean
  /** The JSON of a complete success, for `Transport.frame` and the cache; null for a file, and for anything else. */
  readonly json: string | null
  /** Where `json` is null. */
  readonly body: ReplyBody | ((cost: Cost | null) => string)
  /** What the tag of a body that is made as it is read is a hash of; left out: its text. */
  readonly tagText?: string
  /** The part of the price that is given back, since what it was for failed; null: nothing. */
  readonly refund: Price | null
}
