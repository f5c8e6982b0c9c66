import type { DatasetName } from '../../core/datasets.js'
import { ApiError } from '../../core/errors.js'
import { type DatasetStates, type DataVersions, versionIn } from '../../platform/database/data-version.js'
import type { Database } from '../../platform/database/database.js'
import type { Replicas } from '../../platform/replicas/replicas.js'
import type { Exchange, Reply, ReplyBody } from '../../platform/request/exchange.js'
import type { Ports } from '../../platform/request/ports.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { PreparedOperation, RunResult, Target, Transport } from '../../platform/request/transport.js'
import { Validity } from '../../platform/request/validity.js'
import {
  type CachedResponse,
  dataVersionOf,
  type ResponseFacts,
} from '../../platform/response-cache/cached-response.js'
import type { ResponseCache } from '../../platform/response-cache/response-cache.js'
import type { Cost } from '../../policy/price.js'
import type { Principal } from '../../policy/principal.js'
import { bodyTag, bodyTagHeaders, namesTag } from './cache/body-tag.js'
import { toCacheKey } from './cache/cache-key.js'
import { hasExpired, type Run, runConsistently, runOnce } from './cache/consistent-run.js'
import { findCurrentTag, namesAny } from './cache/entity-tag.js'
import { hitReply } from './cache/hit-reply.js'
import { lifetimeHeaders } from './cache/lifetime-headers.js'
import { runOnReplica } from './cache/replica-run.js'
import { responseFacts } from './cache/response-facts.js'
import { SingleFlight } from './cache/single-flight.js'
import { type Admission, accountOf, type Release } from './limits/admission.js'
import type { Charging } from './limits/charging.js'
import type { LiveRequestOf } from './live-request.js'
import type { Progress } from './progress.js'
import { isReadMethod } from './read-method.js'

/** What a run changes here is told to the next caller: not even the half second for which versions are known is waited. */
const VERDICTS: ReadonlySet<DatasetName> = new Set(['screening'])

/** Who asks what another is asking waits this long for it, then makes it itself. */
const FLIGHT_WAIT_MS = 2_000

export interface AnswersOptions {
  readonly database: Database
  readonly ports: Ports
  readonly versions: DataVersions
  /** Null: the primary alone is read. */
  readonly replicas: Replicas | null
  readonly cache: ResponseCache
  readonly charging: Charging
  readonly admission: Admission
  readonly liveOf: LiveRequestOf
}

/** A request whose caller is known, and who serves it. */
export interface AuthenticatedRequest {
  readonly exchange: Exchange
  readonly progress: Progress
  readonly transport: Transport
  readonly target: Target
  /** Only its price is asked for. */
  readonly isPriced: boolean
}

/** Gives each request its response: 304, from the cache, from who is just making it, or made now. */
export class Answers {
  readonly #options: AnswersOptions
  readonly #flights = new SingleFlight<CachedResponse>(FLIGHT_WAIT_MS)

  constructor(options: AnswersOptions) {
    this.#options = options
  }

  serve(asked: AuthenticatedRequest): Promise<Reply> {
    const states = this.#options.versions.current()
    return states instanceof Promise
      ? states.then((read) => this.#serveFrom(asked, read))
      : this.#serveFrom(asked, states)
  }

  /** `isNewest`: the states were read for this request. */
  #serveFrom(asked: AuthenticatedRequest, states: DatasetStates, isNewest = false): Promise<Reply> {
    const { exchange, progress, isPriced } = asked
    const { principal } = progress
    const key = isPriced ? null : toCacheKey(exchange, principal)
    if (key !== null) {
      const unchanged = this.#notModified(asked, key, states)
      const hit =
        unchanged === null && mayCache(principal) ? this.#options.cache.get(key, states, exchange.now) : null
      const reads = unchanged?.reads ?? hit?.stamps.map(([name]) => name) ?? []
      if (!isNewest && reads.some((name) => VERDICTS.has(name)))
        return this.#options.versions.fresh().then((newest) => this.#serveFrom(asked, newest, true))
      if (unchanged !== null) return Promise.resolve(unchanged.reply)
      if (hit !== null) return this.#give(asked, hit)
    }
    return this.#admitted(asked, (leave) => this.#make(asked, key, states, leave))
  }

  #admitted(
    { exchange, progress }: AuthenticatedRequest,
    work: (leave: Release) => Promise<Reply>,
  ): Promise<Reply> {
    return this.#options.admission.run(accountOf(progress.principal, exchange), exchange.now, work)
  }

  /** 304: free of charge, from any node, whether it has seen the request or not. */
  #notModified(
    { exchange }: AuthenticatedRequest,
    key: string,
    states: DatasetStates,
  ): { readonly reply: Reply; readonly reads: readonly DatasetName[] } | null {
    const tags = exchange.header('if-none-match')
    if (tags === null || !isReadMethod(exchange.method)) return null
    const current = findCurrentTag(tags, key, states, exchange.now)
    if (current === null) return null
    const { tag, reads, endsAtMs, refreshAtMs = null } = current
    const dataVersion = reads.map((name) => `${name}=${versionIn(states, name)}`).join(', ')
    const headers = lifetimeHeaders({ etag: tag, endsAtMs, refreshAtMs, dataVersion }, exchange.now)
    return { reply: { status: 304, headers, body: null }, reads }
  }

  async #give(asked: AuthenticatedRequest, hit: CachedResponse): Promise<Reply> {
    const { exchange, progress, transport } = asked
    progress.operation = hit.operation
    progress.isCacheHit = true
    if (namesAny(exchange)) return { status: 304, headers: lifetimeHeaders(hit, exchange.now), body: null }
    return hitReply(hit, transport, await this.#options.charging.charge(asked, hit.price), exchange)
  }

  async #make(
    asked: AuthenticatedRequest,
    key: string | null,
    states: DatasetStates,
    leave: Release,
  ): Promise<Reply> {
    const { exchange, progress, target } = asked
    const { cache, charging } = this.#options
    const context = this.#contextOf(asked, states)
    const prepared = await target.prepare(context)
    if ('status' in prepared) return prepared
    progress.operation = prepared.operation
    if (asked.isPriced) return prepared.dryRun(await charging.priceOf(asked, prepared.price))
    if (prepared.isWaiting) leave()
    const isShared = prepared.isCacheable && !prepared.isWaiting && cache.isOn
    if (key === null || !isShared || !mayCache(context.principal)) {
      return this.#run(asked, prepared, context, key, await charging.charge(asked, prepared.price))
    }
    const isVerdict = prepared.reads.some((name) => VERDICTS.has(name))
    const newest = isVerdict ? await this.#options.versions.fresh() : states
    const known = (await cache.fetch(key, newest, exchange.now)) ?? (await this.#newest(key, asked))
    if (known !== null) return this.#give(asked, known)
    return this.#makeOnce(asked, prepared, context, key, leave)
  }

  /** What another request has made since this one came in. */
  async #newest(key: string, { exchange }: AuthenticatedRequest): Promise<CachedResponse | null> {
    return this.#options.cache.get(key, await this.#options.versions.current(), exchange.now)
  }

  /** The first who asks runs it; who asks meanwhile is charged too, and waits for a while in no place. */
  async #makeOnce(
    asked: AuthenticatedRequest,
    prepared: PreparedOperation,
    context: RequestContext,
    key: string,
    leave: Release,
  ): Promise<Reply> {
    const cost = await this.#options.charging.charge(asked, prepared.price)
    const flight = this.#flights.join(key)
    if (!flight.isFirst) {
      leave()
      const landed = await flight.result
      if (landed === null) return this.#admitted(asked, () => this.#run(asked, prepared, context, key, cost))
      return this.#giveCharged(asked, landed, prepared, cost)
    }
    try {
      // Another flight may have landed while this request was charged.
      const newest = await this.#newest(key, asked)
      if (newest !== null) {
        flight.settle(newest)
        return await this.#giveCharged(asked, newest, prepared, cost)
      }
      const reply = await this.#run(asked, prepared, context, key, cost)
      flight.settle(await this.#newest(key, asked))
      return reply
    } finally {
      flight.settle(null) // a failure is each caller's own
    }
  }

  /** Gives what another request has made to one that is charged already. */
  async #giveCharged(
    asked: AuthenticatedRequest,
    made: CachedResponse,
    prepared: PreparedOperation,
    cost: Cost | null,
  ): Promise<Reply> {
    const { exchange, progress, transport } = asked
    progress.isCacheHit = true
    if (namesAny(exchange))
      return this.#refundNotModified(asked, prepared, lifetimeHeaders(made, exchange.now))
    return hitReply(made, transport, cost, exchange)
  }

  /** 304 to `If-None-Match: *`; free of charge, but for what may have asked a third party. */
  async #refundNotModified(
    asked: AuthenticatedRequest,
    { price, isUnsteady }: PreparedOperation,
    headers: readonly string[],
  ): Promise<Reply> {
    if (isUnsteady !== true) await this.#options.charging.refund(asked, price, price)
    return { status: 304, headers, body: null }
  }

  /** Runs what is charged; gives back what it was charged for nothing. */
  async #run(
    asked: AuthenticatedRequest,
    prepared: PreparedOperation,
    context: RequestContext,
    key: string | null,
    cost: Cost | null,
  ): Promise<Reply> {
    const { charging } = this.#options
    const { price } = prepared
    try {
      const run = await this.#runOf(prepared, context)
      const { refund } = run.result
      const left = refund === null ? cost : await charging.refund(asked, refund, price)
      return await this.#complete(asked, prepared, run, key, left)
    } catch (error) {
      if (!(error instanceof ApiError && error.isCharged)) await charging.refund(asked, price, price)
      throw error
    }
  }

  async #runOf(prepared: PreparedOperation, context: RequestContext): Promise<Run> {
    const { cache, versions, replicas } = this.#options
    const run = replicas === null ? null : await runOnReplica(prepared, context, { replicas, versions })
    if (run !== null) return run
    return mayCache(context.principal) && cache.isOn
      ? runConsistently(prepared, context, versions)
      : runOnce(prepared, context, {})
  }

  /** Puts the reply together, and keeps it where it may be given again. */
  async #complete(
    asked: AuthenticatedRequest,
    prepared: PreparedOperation,
    run: Run,
    key: string | null,
    cost: Cost | null,
  ): Promise<Reply> {
    const { transport, exchange } = asked
    const { result: made } = run
    const tag = bodyTag(prepared, made, exchange)
    const lifetime =
      tag === null ? this.#lifetimeOf(asked, prepared, run, key) : bodyTagHeaders(tag, exchange)
    if (made.isComplete && (namesAny(exchange) || (tag !== null && namesTag(exchange, tag))))
      return this.#refundNotModified(asked, prepared, lifetime)
    return {
      status: made.status,
      headers: [...made.headers, ...lifetime],
      body: bodyOf(made, transport, cost),
    }
  }

  /** Keeps what may be given again; tells how long it holds, and its tag. Nothing for what is made from more than datasets. */
  #lifetimeOf(
    asked: AuthenticatedRequest,
    prepared: PreparedOperation,
    run: Run,
    key: string | null,
  ): readonly string[] {
    const { exchange, progress } = asked
    const { result: made } = run
    if (!prepared.isCacheable || !made.isComplete || hasExpired(run, exchange)) return []
    const facts = responseFacts(prepared, run, isReadMethod(exchange.method) ? key : null)
    const isKept = key !== null && run.isConsistent && mayCache(progress.principal)
    if (isKept && made.json !== null) this.#keep(key, made.json, facts, run, exchange)
    return lifetimeHeaders({ ...facts, dataVersion: dataVersionOf(facts) }, exchange.now)
  }

  #keep(key: string, json: string, facts: ResponseFacts, { validity }: Run, { now }: Exchange): void {
    const observedMs = [...validity.observedMs]
    this.#options.cache.set(key, { ...facts, json, madeAtMs: now.getTime(), observedMs })
  }

  #contextOf({ exchange, progress }: AuthenticatedRequest, datasets: DatasetStates): RequestContext {
    const { database, ports, liveOf } = this.#options
    return {
      principal: progress.principal,
      database,
      now: exchange.now,
      requestId: exchange.requestId,
      log: exchange.log,
      ports,
      datasets,
      clientAddress: exchange.clientAddress,
      idempotencyKey: exchange.header('idempotency-key'),
      validity: new Validity(),
      live: liveOf(exchange, progress.principal),
    }
  }
}

/** Without credentials anybody could fill the cache at no charge. */
function mayCache({ kind }: Principal): boolean {
  return kind !== 'anonymous'
}

function bodyOf({ json, body }: RunResult, transport: Transport, cost: Cost | null): ReplyBody {
  if (json === null) return typeof body === 'function' ? body(cost) : body
  const { head, tail } = transport.frame(cost)
  return head + json + tail
}
