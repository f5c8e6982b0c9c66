import { onlyReads, type TypedDocument } from './document.js'
import { BoundError } from './errors.js'
import { type GraphQLAnswer, graphqlAnswerOf, graphqlCall } from './graphql.js'
import { type Limits, limitsOf } from './limits.js'
import type { Arguments, BodyOf, OperationOf, ParametersOf, PathOf, RowOf, RowsPathOf } from './rest-types.js'
import { type SubscribeOptions, subscribe } from './subscription.js'
import { fillPath, nextQuery, queryOf, type Values, withDays } from './targets.js'
import { type ClientOptions, type Received, Transport } from './transport.js'

/** One response of a route. */
export interface Answer<Body> {
  readonly body: Body
  readonly status: number
  /** The remaining quotas; null on open routes. */
  readonly limits: Limits | null
  /** Identifies the request in the gateway's log. */
  readonly requestId: string | null
  readonly headers: Headers
}

export interface RequestOptions {
  readonly signal?: AbortSignal
}

export interface WriteOptions extends RequestOptions {
  /** The gateway refuses to run a write with this key a second time (409), so the client may send it again. */
  readonly idempotencyKey?: string
}

export interface PageOptions extends RequestOptions {
  /** Maximum number of pages; more are an error. Default: 1,000. */
  readonly maxPages?: number
  /** Rows of a page. Default: `limit`, or the default of the route. */
  readonly pageSize?: number
}

type Rest<Paths, Path extends keyof Paths, Method extends string, Options> = Arguments<
  ParametersOf<OperationOf<Paths, Path, Method>>,
  Options
>
type AnswerOf<Paths, Path extends keyof Paths, Method extends string> = Answer<
  BodyOf<OperationOf<Paths, Path, Method>>
>

/** Paths that the client treats in a special way. */
export interface PathKinds {
  /** Their POST changes nothing, so the client may repeat it. */
  readonly readsByPost: readonly string[]
  /** Their pages go back in time, although the rows of each are in time order. */
  readonly newestPageFirst: readonly string[]
  /** By path, the parameters that are days. */
  readonly days: Readonly<Record<string, readonly string[]>>
  /** By path, the members that lead to the rows, unless it is `data`. */
  readonly rows: Readonly<Record<string, readonly string[]>>
}

/**
 * A client of one gateway with one credential. `Paths` are the types of the OpenAPI document. Throws `ApiError` if the
 * gateway refuses a request, and `ConnectionError` if no response arrives.
 */
export class Client<Paths extends object> {
  readonly #transport: Transport
  readonly #readsByPost: ReadonlySet<string>
  readonly #newestPageFirst: ReadonlySet<string>
  readonly #days: PathKinds['days']
  readonly #rows: PathKinds['rows']

  constructor(options: ClientOptions, { readsByPost, newestPageFirst, days, rows }: PathKinds) {
    this.#transport = new Transport(options)
    this.#readsByPost = new Set(readsByPost)
    this.#newestPageFirst = new Set(newestPageFirst)
    this.#days = days
    this.#rows = rows
  }

  get<Path extends PathOf<Paths, 'get'>>(path: Path, ...rest: Rest<Paths, Path, 'get', RequestOptions>) {
    const [values, options] = argumentsOf<RequestOptions>(rest)
    const { path: filled, rest: query } = fillPath(path, withDays(values, this.#days[path]))
    return this.#get(filled + queryOf(query), options) as Promise<AnswerOf<Paths, Path, 'get'>>
  }

  post<Path extends PathOf<Paths, 'post'>>(path: Path, ...rest: Rest<Paths, Path, 'post', WriteOptions>) {
    const [values, { signal, idempotencyKey }] = argumentsOf<WriteOptions>(rest)
    const { path: target, rest: body } = fillPath(path, values)
    const isRepeatable = idempotencyKey !== undefined || this.#readsByPost.has(path)
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    const hasBody = Object.keys(body).length > 0
    const call = {
      method: 'POST',
      target,
      headers,
      isRepeatable,
      signal,
      ...(hasBody ? { body } : {}),
    } as const
    return this.#transport.send(call).then(answerOf) as Promise<AnswerOf<Paths, Path, 'post'>>
  }

  patch<Path extends PathOf<Paths, 'patch'>>(
    path: Path,
    ...rest: Rest<Paths, Path, 'patch', RequestOptions>
  ) {
    const [values, { signal }] = argumentsOf<RequestOptions>(rest)
    const { path: target, rest: body } = fillPath(path, values)
    const call = { method: 'PATCH', target, body, isRepeatable: false, signal } as const
    return this.#transport.send(call).then(answerOf) as Promise<AnswerOf<Paths, Path, 'patch'>>
  }

  delete<Path extends PathOf<Paths, 'delete'>>(
    path: Path,
    ...rest: Rest<Paths, Path, 'delete', RequestOptions>
  ) {
    const [values, { signal }] = argumentsOf<RequestOptions>(rest)
    const { path: filled, rest: query } = fillPath(path, values)
    const call = { method: 'DELETE', target: filled + queryOf(query), isRepeatable: false, signal } as const
    return this.#transport.send(call).then(answerOf) as Promise<AnswerOf<Paths, Path, 'delete'>>
  }

  /**
   * The pages of a list, series or feed, from the requested one to the last, in time order. Each is requested when it is
   * needed; where the gateway begins with the newest page, all are requested first. `limit` is the number of rows on all pages.
   */
  async *pages<Path extends PathOf<Paths, 'get'>>(
    path: Path,
    ...rest: Rest<Paths, Path, 'get', PageOptions>
  ): AsyncGenerator<AnswerOf<Paths, Path, 'get'>, void> {
    const later: Answer<unknown>[] = []
    for await (const page of this.#pages(path, ...argumentsOf<PageOptions>(rest))) {
      if (this.#newestPageFirst.has(path)) later.unshift(page)
      else yield page as AnswerOf<Paths, Path, 'get'> // the document defines the body of the path
    }
    yield* later as AnswerOf<Paths, Path, 'get'>[]
  }

  /** The pages in the order of the gateway, with at most `limit` rows. */
  async *#pages(
    path: string,
    values: Values,
    { maxPages = 1_000, pageSize, ...options }: PageOptions,
  ): AsyncGenerator<Answer<unknown>, void> {
    const { path: filled, rest: first } = fillPath(path, withDays(values, this.#days[path]))
    const limit = typeof first.limit === 'number' ? first.limit : Number.POSITIVE_INFINITY
    const size = pageSize === undefined ? first.limit : Math.min(pageSize, limit)
    let query: string | null = queryOf({ ...first, limit: size })
    let left = limit
    for (let count = 1; query !== null && left > 0; count++) {
      if (count > maxPages) throw new BoundError(`${path} has more than ${maxPages} pages (maxPages).`)
      const answer: Answer<unknown> = await this.#get(filled + query, options)
      if (Number.isFinite(left)) {
        const rows = this.#rowsOf(path, answer.body)
        const excess = Math.max(0, rows.length - left)
        rows.splice(this.#newestPageFirst.has(path) ? 0 : rows.length - excess, excess)
        left -= rows.length
      }
      yield answer
      const next = nextQuery(answer.headers)
      if (next === query) throw new BoundError(`${path}: the next page is the same as this one.`)
      query = next
    }
  }

  /** The rows of all pages, in time order; at most `limit`. */
  async *rows<Path extends RowsPathOf<Paths>>(
    path: Path,
    ...rest: Rest<Paths, Path, 'get', PageOptions>
  ): AsyncGenerator<RowOf<BodyOf<OperationOf<Paths, Path, 'get'>>>, void> {
    for await (const { body } of this.pages(path, ...rest)) {
      yield* this.#rowsOf(path, body) as RowOf<BodyOf<OperationOf<Paths, Path, 'get'>>>[] // by the type of the body
    }
  }

  #rowsOf(path: string, body: unknown): unknown[] {
    const members = this.#rows[path] ?? ['data']
    const rows = members.reduce<unknown>((value, member) => (value as Record<string, unknown>)[member], body)
    return Array.isArray(rows) ? rows : []
  }

  /** Runs a query or a mutation. Errors of single fields are in `errors`, next to the data of the others. */
  async graphql<Result, Variables>(
    document: TypedDocument<Result, Variables>,
    ...rest: Arguments<Variables, RequestOptions>
  ): Promise<GraphQLAnswer<Result>> {
    const [variables, { signal }] = argumentsOf<RequestOptions>(rest)
    const text = document.toString()
    const call = graphqlCall(text, variables)
    const isRepeatable = onlyReads(text)
    return graphqlAnswerOf(await this.#transport.send({ ...call, isRepeatable, signal }))
  }

  /**
   * The events of a subscription until the loop ends or `signal` is aborted. After a lost connection the client reconnects
   * with the cursor of the last event, so no event is lost or repeated.
   */
  subscribe<Result, Variables>(
    document: TypedDocument<Result, Variables>,
    ...rest: Arguments<Variables, SubscribeOptions>
  ): AsyncGenerator<Result, void> {
    const [variables, options] = argumentsOf<SubscribeOptions>(rest)
    return subscribe<Result>(this.#transport, document.toString(), variables, options)
  }

  async #get(target: string, { signal }: RequestOptions): Promise<Answer<unknown>> {
    return answerOf(await this.#transport.send({ method: 'GET', target, isRepeatable: true, signal }))
  }
}

/** Both are optional. */
function argumentsOf<Options>(rest: readonly unknown[]): readonly [Values, Options] {
  const [values = {}, options = {}] = rest
  return [values as Values, options as Options] // as the signatures say
}

function answerOf({ status, headers, body }: Received): Answer<unknown> {
  return { body, status, limits: limitsOf(headers), requestId: headers.get('x-request-id'), headers }
}
