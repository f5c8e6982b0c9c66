import type { DatasetName } from '../../core/datasets.js'
import { type DatasetStates, versionsText } from '../../platform/database/data-version.js'
import type { Database } from '../../platform/database/database.js'
import type { Reply } from '../../platform/request/exchange.js'
import type { Ports } from '../../platform/request/ports.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { PreparedOperation } from '../../platform/request/transport.js'
import { Validity } from '../../platform/request/validity.js'
import type { CachedResponse } from '../../platform/response-cache/cached-response.js'
import type { Cost } from '../../policy/price.js'
import type { AuthenticatedRequest } from './authenticated-request.js'
import { toCacheKey } from './cache/cache-key.js'
import { findCurrentTag, namesAny } from './cache/entity-tag.js'
import { hitReply } from './cache/hit-reply.js'
import { lifetimeHeaders } from './cache/lifetime-headers.js'
import { mayCache } from './cache/may-cache.js'
import { SingleFlight } from './cache/single-flight.js'
import { ChargedRuns, type ChargedRunsOptions } from './charged-runs.js'
import { type Admission, accountOf, type Release } from './limits/admission.js'
import type { LiveRequestOf } from './live-request.js'
import { isReadMethod } from './read-method.js'

/** For these datasets the versions are read again for every request, instead of being cached for half a second. */
const VERDICTS: ReadonlySet<DatasetName> = new Set(['screening'])

/** A request for a response that is being computed waits this long for it, and then computes it itself. */
const FLIGHT_WAIT_MS = 2_000

export interface AnswersOptions extends ChargedRunsOptions {
  readonly database: Database
  readonly ports: Ports
  readonly admission: Admission
  readonly liveOf: LiveRequestOf
}

/** Responds to each request: with a 304, from the cache, with the result of an identical request in flight, or by running it. */
export class Answers {
  readonly #options: AnswersOptions
  readonly #runs: ChargedRuns
  readonly #flights = new SingleFlight<CachedResponse>(FLIGHT_WAIT_MS)

  constructor(options: AnswersOptions) {
    this.#options = options
    this.#runs = new ChargedRuns(options)
  }

  serve(request: AuthenticatedRequest): Promise<Reply> {
    const states = this.#options.versions.current()
    return states instanceof Promise
      ? states.then((read) => this.#serveFrom(request, read))
      : this.#serveFrom(request, states)
  }

  /** `isNewest` means that the states were read for this request. */
  #serveFrom(request: AuthenticatedRequest, states: DatasetStates, isNewest = false): Promise<Reply> {
    const { exchange, progress, isPriced } = request
    const { principal } = progress
    const key = isPriced ? null : toCacheKey(exchange, principal)
    if (key !== null) {
      const unchanged = this.#notModified(request, key, states)
      const hit =
        unchanged === null && mayCache(principal) ? this.#options.cache.get(key, states, exchange.now) : null
      const reads = unchanged?.reads ?? hit?.stamps.map(([name]) => name) ?? []
      if (!isNewest && reads.some((name) => VERDICTS.has(name)))
        return this.#options.versions.fresh().then((newest) => this.#serveFrom(request, newest, true))
      if (unchanged !== null) return Promise.resolve(unchanged.reply)
      if (hit !== null) return this.#respond(request, hit)
    }
    return this.#withPermit(request, (release) => this.#runOrJoin(request, key, states, release))
  }

  #withPermit(
    { exchange, progress }: AuthenticatedRequest,
    work: (release: Release) => Promise<Reply>,
  ): Promise<Reply> {
    return this.#options.admission.run(accountOf(progress.principal, exchange), exchange.now, work)
  }

  /** A 304 is free of charge. Any node can send it, even if it has never computed the response. */
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
    const dataVersion = versionsText(states, reads)
    const headers = lifetimeHeaders({ etag: tag, endsAtMs, refreshAtMs, dataVersion }, exchange.now)
    return { reply: { status: 304, headers, body: null }, reads }
  }

  async #respond(request: AuthenticatedRequest, hit: CachedResponse): Promise<Reply> {
    const { exchange, progress, transport } = request
    progress.operation = hit.operation
    progress.isCacheHit = true
    if (namesAny(exchange)) return { status: 304, headers: lifetimeHeaders(hit, exchange.now), body: null }
    return hitReply(hit, transport, await this.#options.charging.charge(request, hit.price), exchange)
  }

  async #runOrJoin(
    request: AuthenticatedRequest,
    key: string | null,
    states: DatasetStates,
    release: Release,
  ): Promise<Reply> {
    const { exchange, progress, target } = request
    const { cache, charging } = this.#options
    const context = this.#contextOf(request, states)
    const prepared = await target.prepare(context)
    if ('status' in prepared) return prepared
    progress.operation = prepared.operation
    if (request.isPriced) return prepared.dryRun(await charging.priceOf(request, prepared.price))
    if (prepared.isWaiting) release()
    const isShared = prepared.isCacheable && !prepared.isWaiting && cache.isOn
    if (key === null || !isShared || !mayCache(context.principal)) {
      return this.#runs.run(request, prepared, context, key, await charging.charge(request, prepared.price))
    }
    const isVerdict = prepared.reads.some((name) => VERDICTS.has(name))
    const newest = isVerdict ? await this.#options.versions.fresh() : states
    const known = (await cache.fetch(key, newest, exchange.now)) ?? (await this.#newest(key, request))
    if (known !== null) return this.#respond(request, known)
    return this.#runOnceForAll(request, prepared, context, key, release)
  }

  /** The response that another request has cached since this one arrived. */
  async #newest(key: string, { exchange }: AuthenticatedRequest): Promise<CachedResponse | null> {
    return this.#options.cache.get(key, await this.#options.versions.current(), exchange.now)
  }

  /** The first request runs the operation. Identical requests are charged too and wait for its result without a permit. */
  async #runOnceForAll(
    request: AuthenticatedRequest,
    prepared: PreparedOperation,
    context: RequestContext,
    key: string,
    release: Release,
  ): Promise<Reply> {
    const cost = await this.#options.charging.charge(request, prepared.price)
    const flight = this.#flights.join(key)
    if (!flight.isFirst) {
      release()
      const shared = await flight.result
      if (shared === null)
        return this.#withPermit(request, () => this.#runs.run(request, prepared, context, key, cost))
      return this.#respondCharged(request, shared, prepared, cost)
    }
    try {
      // Another request may have cached the response while this one was charged.
      const newest = await this.#newest(key, request)
      if (newest !== null) {
        flight.settle(newest)
        return await this.#respondCharged(request, newest, prepared, cost)
      }
      const reply = await this.#runs.run(request, prepared, context, key, cost)
      flight.settle(await this.#newest(key, request))
      return reply
    } finally {
      flight.settle(null) // after an error the waiting requests run themselves
    }
  }

  /** Responds with the result of another request. This request is already charged. */
  async #respondCharged(
    request: AuthenticatedRequest,
    shared: CachedResponse,
    prepared: PreparedOperation,
    cost: Cost | null,
  ): Promise<Reply> {
    const { exchange, progress, transport } = request
    progress.isCacheHit = true
    if (namesAny(exchange))
      return this.#runs.refundNotModified(request, prepared, lifetimeHeaders(shared, exchange.now))
    return hitReply(shared, transport, cost, exchange)
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
