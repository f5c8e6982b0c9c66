import { ApiError } from '../../core/errors.js'
import { isDevIn, versionsText } from '../../platform/database/versions/data-version.js'
import type { DataVersions } from '../../platform/database/versions/data-versions.js'
import type { Replicas } from '../../platform/replicas/replicas.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { PreparedOperation, RunResult, Transport } from '../../platform/request/transport.js'
import type { ResponseHead } from '../../platform/response-cache/cached-response.js'
import type { ResponseCache } from '../../platform/response-cache/response-cache.js'
import type { Cost } from '../../policy/price.js'
import type { AuthenticatedRequest } from './authenticated-request.js'
import { bodyTag, bodyTagHeaders, namesTag } from './cache/body-tag.js'
import { hasExpired, type Run, runConsistently, runOnce } from './cache/consistent-run.js'
import { namesAny } from './cache/entity-tag.js'
import { keptBody } from './cache/hit-reply.js'
import { lifetimeHeaders } from './cache/lifetime-headers.js'
import { mayCache } from './cache/may-cache.js'
import { toResponseHead } from './cache/response-head.js'
import type { Charging } from './limits/charging.js'
import type { CostlyOperations } from './limits/costly-operations.js'
import { isReadMethod } from './read-method.js'
import { runOnReplica } from './replica-reads/replica-run.js'

export interface ChargedRunsOptions {
  readonly versions: DataVersions
  /** Null: all reads go to the primary. */
  readonly replicas: Replicas | null
  readonly cache: ResponseCache
  readonly charging: Charging
  readonly costly: CostlyOperations
}

/** Runs charged operations, refunds their failed parts, caches their responses and builds the replies. */
export class ChargedRuns {
  readonly #options: ChargedRunsOptions

  constructor(options: ChargedRunsOptions) {
    this.#options = options
  }

  /** Runs a charged operation and refunds the parts that failed. */
  async run(
    request: AuthenticatedRequest,
    prepared: PreparedOperation,
    context: RequestContext,
    key: string | null,
    cost: Cost | null,
  ): Promise<Reply> {
    return this.refundIfFailed(request, prepared, async () => {
      this.#options.costly.hold(prepared.values, context.principal, request.exchange)
      const run = await this.#runOnServer(prepared, context)
      const { refund } = run.result
      const left =
        refund === null ? cost : await this.#options.charging.refund(request, refund, prepared.price)
      return this.#complete(request, prepared, run, key, left)
    })
  }

  /** Runs the work for a request that is already charged. A failure is free of charge, unless its error says otherwise. */
  async refundIfFailed(
    request: AuthenticatedRequest,
    { price }: PreparedOperation,
    work: () => Promise<Reply>,
  ): Promise<Reply> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ApiError && error.isCharged))
        await this.#options.charging.refund(request, price, price)
      throw error
    }
  }

  /** Responds to `If-None-Match: *` with a 304, which is free of charge unless the run may have called a third party. */
  async refundNotModified(
    request: AuthenticatedRequest,
    { price, isVolatile }: PreparedOperation,
    headers: readonly string[],
  ): Promise<Reply> {
    if (isVolatile !== true) await this.#options.charging.refund(request, price, price)
    return { status: 304, headers, body: null }
  }

  async #runOnServer(prepared: PreparedOperation, context: RequestContext): Promise<Run> {
    const { versions, replicas } = this.#options
    const run = replicas === null ? null : await runOnReplica(prepared, context, { replicas, versions })
    return run ?? this.#runOnPrimary(prepared, context)
  }

  #runOnPrimary(prepared: PreparedOperation, context: RequestContext): Promise<Run> {
    const { cache, versions, replicas } = this.#options
    // Replicas may run the next requests, and their answers must not be older than this one.
    return mayCache(context.principal) && (cache.isOn || replicas !== null)
      ? runConsistently(prepared, context, versions)
      : runOnce(prepared, context, {})
  }

  /** Builds the reply and caches it if allowed. */
  async #complete(
    request: AuthenticatedRequest,
    prepared: PreparedOperation,
    run: Run,
    key: string | null,
    cost: Cost | null,
  ): Promise<Reply> {
    const { transport, exchange, progress } = request
    const { result } = run
    progress.isAsOfClock &&= result.isComplete
    const tag = bodyTag(prepared, result, exchange)
    const lifetime =
      tag === null ? this.#lifetimeOf(request, prepared, run, key) : bodyTagHeaders(tag, exchange)
    if (result.isComplete && (namesAny(exchange) || (tag !== null && namesTag(exchange, tag))))
      return this.refundNotModified(request, prepared, lifetime)
    return {
      status: result.status,
      headers: [...result.headers, ...lifetime],
      ...bodyOf(result, transport, cost),
    }
  }

  /** Caches the response if allowed and returns its lifetime headers; none if it depends on more than datasets. */
  #lifetimeOf(
    request: AuthenticatedRequest,
    prepared: PreparedOperation,
    run: Run,
    key: string | null,
  ): readonly string[] {
    const { exchange, progress } = request
    const { result } = run
    if (!prepared.isCacheable || !result.isComplete || hasExpired(run, exchange)) return []
    const head = toResponseHead(prepared, run, isReadMethod(exchange.method) ? key : null)
    const isKept = key !== null && run.isConsistent && mayCache(progress.principal)
    if (isKept && result.json !== null) this.#cacheResponse(key, result.json, head, run, exchange)
    const { datasets } = run
    const dataVersion = versionsText(datasets, prepared.reads)
    const isDevDataset = isDevIn(datasets, prepared.reads)
    return lifetimeHeaders(head, { dataVersion, isDevDataset }, exchange.now)
  }

  #cacheResponse(key: string, json: string, head: ResponseHead, run: Run, { now }: Exchange): void {
    const { cache } = this.#options
    const response = { ...head, json, madeAtMs: now.getTime(), observedMs: [...run.validity.observedMs] }
    cache.set(key, response)
  }
}

function bodyOf(
  { json, bytes, body }: RunResult,
  transport: Transport,
  cost: Cost | null,
): Pick<Reply, 'body' | 'encoded'> {
  if (bytes !== undefined) return keptBody(bytes, bytes, transport.frame(cost))
  if (json === null) return { body: typeof body === 'function' ? body(cost) : body }
  const { head, tail } = transport.frame(cost)
  return { body: head + json + tail }
}
