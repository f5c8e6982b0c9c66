import { ApiError } from '../../core/errors.js'
import { DATABASE_PART } from '../../platform/database/connection/connection-loss.js'
import type { Database } from '../../platform/database/database.js'
import { type DatasetStates, isDevIn, versionsText } from '../../platform/database/versions/data-version.js'
import { clockedInstants } from '../../platform/request/clocked-instants.js'
import type { Reply } from '../../platform/request/exchange.js'
import type { Ports } from '../../platform/request/ports.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { PreparedOperation } from '../../platform/request/transport.js'
import { Validity } from '../../platform/request/validity.js'
import type { CacheHit } from '../../platform/response-cache/response-cache.js'
import type { Cost } from '../../policy/price.js'
import { clockOf } from '../../policy/principal.js'
import type { AuthenticatedRequest } from './authenticated-request.js'
import { toCacheKey } from './cache/cache-key.js'
import { namesAny } from './cache/entity-tag.js'
import { hitReply } from './cache/hit-reply.js'
import { findKnownAnswer, type KnownAnswer } from './cache/known-answer.js'
import { lifetimeHeaders } from './cache/lifetime-headers.js'
import { mayCache } from './cache/may-cache.js'
import { SingleFlight } from './cache/single-flight.js'
import { isVerdict } from './cache/verdicts.js'
import { ChargedRuns, type ChargedRunsOptions } from './charged-runs.js'
import { type Admission, accountOf, type Release } from './limits/admission.js'
import type { LiveRequestOf } from './live-request.js'

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
  readonly #flights = new SingleFlight<CacheHit>(FLIGHT_WAIT_MS)

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
    const { cache, versions, replicas } = this.#options
    const key = isPriced || clockOf(principal) !== undefined ? null : toCacheKey(exchange, principal)
    if (key !== null) {
      const known = findKnownAnswer({ exchange, principal, key, states, cache })
      if (known !== null) {
        if (isNewest || !isVerdict((known.tag ?? known.hit).reads))
          return this.#respondKnown(request, known, states)
        return versions.fresh().then((newest) => this.#serveFrom(request, newest, true))
      }
    }
    if (versions.isOutage && replicas === null)
      return Promise.reject(new ApiError('service_unavailable', { part: DATABASE_PART }))
    return this.#withPermit(request, (release) => this.#runOrJoin(request, key, states, release))
  }

  #withPermit(
    { exchange, progress }: AuthenticatedRequest,
    work: (release: Release) => Promise<Reply>,
  ): Promise<Reply> {
    return this.#options.admission.run(accountOf(progress.principal, exchange), exchange.now, work)
  }

  /** A 304 is free of charge. Any node can send it, even if it has never computed the response. */
  #respondKnown(
    request: AuthenticatedRequest,
    { tag, hit }: KnownAnswer,
    states: DatasetStates,
  ): Promise<Reply> {
    if (tag === null) return this.#respond(request, hit)
    const lifetime = { etag: tag.tag, endsAtMs: tag.endsAtMs, refreshAtMs: tag.refreshAtMs ?? null }
    const data = {
      dataVersion: versionsText(states, tag.reads),
      isDevDataset: isDevIn(states, tag.reads),
    }
    const headers = lifetimeHeaders(lifetime, data, request.exchange.now)
    return Promise.resolve({ status: 304, headers, body: null })
  }

  async #respond(request: AuthenticatedRequest, hit: CacheHit): Promise<Reply> {
    const { exchange, progress, transport } = request
    const { response } = hit
    progress.operation = response.operation
    progress.isCacheHit = true
    if (namesAny(exchange))
      return { status: 304, headers: lifetimeHeaders(response, hit, exchange.now), body: null }
    return hitReply(hit, transport, await this.#options.charging.charge(request, response.price), exchange)
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
    const found = await target.prepare(context)
    if ('status' in found) return found
    const prepared = context.clock === undefined ? found : withoutVersions(found)
    progress.operation = prepared.operation
    if (request.isPriced) return prepared.dryRun(await charging.priceOf(request, prepared.price))
    progress.isAsOfClock = context.clock !== undefined && found.isCacheable && !found.isWaiting
    if (prepared.isWaiting) release()
    const isShared = prepared.isCacheable && !prepared.isWaiting && cache.isOn
    if (key === null || !isShared || !mayCache(context.principal)) {
      return this.#runs.run(request, prepared, context, key, await charging.charge(request, prepared.price))
    }
    const newest = isVerdict(prepared.reads) ? await this.#options.versions.fresh() : states
    const known = (await cache.fetch(key, newest, exchange.now)) ?? (await this.#cached(request, key))
    if (known !== null) return this.#respond(request, known)
    const cost = await charging.charge(request, prepared.price)
    return this.#runs.refundIfFailed(request, prepared, () =>
      this.#runOnceForAll(request, prepared, { context, key, cost, release }),
    )
  }

  /** The response that another request has cached since this one arrived. */
  async #cached({ exchange }: AuthenticatedRequest, key: string): Promise<CacheHit | null> {
    const { cache, versions } = this.#options
    return cache.get(key, await versions.current(), exchange.now)
  }

  /** The first request runs the operation. Identical requests, charged too, wait for its result without a permit. */
  async #runOnceForAll(
    request: AuthenticatedRequest,
    prepared: PreparedOperation,
    { context, key, cost, release }: ChargedRun,
  ): Promise<Reply> {
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
      const newest = await this.#cached(request, key)
      if (newest !== null) {
        flight.settle(newest)
        return await this.#respondCharged(request, newest, prepared, cost)
      }
      const reply = await this.#runs.run(request, prepared, context, key, cost)
      flight.settle(await this.#cached(request, key))
      return reply
    } finally {
      flight.settle(null) // after an error the waiting requests run themselves
    }
  }

  /** Responds with the result of another request. This request is already charged. */
  async #respondCharged(
    request: AuthenticatedRequest,
    shared: CacheHit,
    prepared: PreparedOperation,
    cost: Cost | null,
  ): Promise<Reply> {
    const { exchange, progress, transport } = request
    progress.isCacheHit = true
    if (namesAny(exchange)) {
      const headers = lifetimeHeaders(shared.response, shared, exchange.now)
      return this.#runs.refundNotModified(request, prepared, headers)
    }
    return hitReply(shared, transport, cost, exchange)
  }

  #contextOf({ exchange, progress }: AuthenticatedRequest, datasets: DatasetStates): RequestContext {
    const { database, ports, liveOf } = this.#options
    const { principal } = progress
    const { now } = exchange
    const clock = clockOf(principal)
    return {
      principal,
      database,
      ...(clock === undefined
        ? { now, datasets, validity: new Validity() }
        : clockedInstants(clock, { arrivedAt: now, datasets })),
      live: liveOf(exchange, principal),
      requestId: exchange.requestId,
      log: exchange.log,
      ports,
      clientAddress: exchange.clientAddress,
      idempotencyKey: exchange.header('idempotency-key'),
      lastEventId: exchange.header('last-event-id'),
    }
  }
}

/**
 * An answer as of the instant of a clock depends on no later version: it is neither cached nor shared, so that neither its headers
 * nor its duration tell of later commits, and its entity tag is a hash of its body.
 */
function withoutVersions(prepared: PreparedOperation): PreparedOperation {
  const { isCacheable, isBodyTagged = false } = prepared
  return { ...prepared, reads: [], isCacheable: false, isBodyTagged: isCacheable || isBodyTagged }
}

/** What the run of a charged request needs. */
interface ChargedRun {
  readonly context: RequestContext
  readonly key: string
  readonly cost: Cost | null
  readonly release: Release
}
