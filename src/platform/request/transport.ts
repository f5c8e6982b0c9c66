import type { CompatInterfaceName } from '../../policy/compat-interfaces.js'
import type { Cost, Price } from '../../policy/price.js'
import type { DataPart } from '../database/versions/data-parts.js'
import type { Exchange, Reply, ReplyBody } from './exchange.js'
import type { RequestContext } from './request-context.js'

/** One API style: REST, GraphQL, or the interface of another service. The pipeline does the rest: identity, limits, charge, cache, headers, log. */
export interface Transport {
  /** For the labels of metrics. */
  readonly name: 'rest' | 'graphql' | CompatInterfaceName
  /** Finds the target of a request. Never throws: `prepare` rejects a target that does not exist. */
  identify(exchange: Exchange): Target
  /** The text around the JSON of a success: empty in REST; in GraphQL the member `data` and the cost. */
  frame(cost: Cost | null): Frame
  /** The reply to an error in the format of this transport. Errors other than ApiError are masked and logged. */
  refuse(error: unknown, exchange: Exchange): Reply
}

/** Text before and after the JSON of a success, in ASCII; `head` is always the same. */
export interface Frame {
  readonly head: string
  readonly tail: string
}

/** The target of a request: a route or the GraphQL endpoint. */
export interface Target {
  /** For the labels of metrics: the route's path with the names of its parameters; null for an unknown route. */
  readonly route: string | null
  /** Open to everybody: credentials are ignored. */
  readonly isOpen: boolean
  /** The published operation that the target reads; absent for GraphQL, files and unknown routes. */
  readonly operation?: string
  /** The compatible interface that the target belongs to. */
  readonly interface?: CompatInterfaceName
  /** The key as which a request without a credential is served. If absent, such a request has no caller. */
  readonly visitorKey?: string
  /**
   * Called when the credentials are invalid: whether the request needs open fields only, so that credentials do not matter.
   * If absent, `isOpen` decides.
   */
  needsOpenFieldsOnly?(): Promise<boolean>
  /** Headers of every successful reply: lower-case names and values alternate. */
  readonly headers: readonly string[]
  /**
   * Checks syntax, access, arguments and price. Nothing runs and nothing is charged yet. Throws if the whole request is
   * refused. Returns a Reply for a request that needs no run.
   */
  prepare(context: RequestContext): Promise<PreparedOperation | Reply>
}

/** A request that may run. */
export interface PreparedOperation {
  /** Root fields by comma, for log and metrics; null where there are none. */
  readonly operation: string | null
  readonly price: Price
  /** Maximum number of values in the response: rows times fields, plus three per row. */
  readonly values: number
  /** The datasets or grains that the reply is read from; empty if it depends on other state only. */
  readonly reads: readonly DataPart[]
  /** Whether the reply depends on these only, so that it may be cached for equal requests. */
  readonly isCacheable: boolean
  /** The reply depends on more than datasets, but not on the clock or a third party: its entity tag is a hash of its body. */
  readonly isBodyTagged?: boolean
  /** The reply depends on the clock or on a third party, so it must be computed to know whether it has changed. */
  readonly isVolatile?: boolean
  /** Clients must revalidate the reply before each use. */
  readonly isAlwaysRevalidated?: boolean
  /** A long poll or stream: equal requests do not share its reply, and it needs no permit to run. */
  readonly isWaiting: boolean
  /** The reply to a dry run: the price and what would be refused. */
  dryRun(cost: Cost): Reply
  /** May be called again with another context, after a commit between two statements of the first run. */
  run(context: RequestContext): Promise<RunResult>
}

export interface RunResult {
  readonly status: number
  /** Lower-case names and values alternate; without the headers that the pipeline adds. */
  readonly headers: readonly string[]
  /** A complete success, which `If-None-Match` may confirm. */
  readonly isComplete: boolean
  /** The JSON of a complete success, for `Transport.frame` and the cache; null for a file, and for anything else. */
  readonly json: string | null
  /** The JSON as bytes that are kept between runs, in place of `json`. */
  readonly bytes?: Buffer
  /** The body if `json` is null. */
  readonly body: ReplyBody | ((cost: Cost | null) => string)
  /** The text whose hash is the entity tag of a streamed body; by default the body's text. */
  readonly tagText?: string
  /** The part of the price that is given back because that part failed; null for nothing. */
  readonly refund: Price | null
}
