import { setImmediate as nextIteration } from 'node:timers/promises'
import type { ExecutionResult } from 'graphql'
import { LRUCache } from 'lru-cache'
import { ApiError } from '../../../core/errors.js'
import { MINUTE_MS } from '../../../core/time.js'
import type { RequestContext } from '../../../platform/request/request-context.js'

/** Holds the whole schema, half a megabyte, for the queries of some tools, and many small answers. */
const MAX_BYTES = 8 * 2 ** 20
const BYTES_PER_ENTRY = 512
const BYTES_PER_CHAR = 2

/** Answering with the whole schema takes about ten milliseconds, so a caller may send many different queries for it. */
const MS_PER_CALLER = 2_000

/** A tenth of the time of the process. */
const MS_IN_ALL = 6_000

/** Number of callers counted per minute. The limit for all callers applies to the others. */
const MAX_CALLERS = 10_000

/** Everything that an introspection answer depends on. */
export interface Introspection {
  readonly text: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>> | null
}

export interface IntrospectionLimits {
  readonly maxBytes?: number
  readonly msPerCaller?: number
  readonly msInAll?: number
  readonly nowMs?: () => number
}

/**
 * Caches introspection answers, which never change while the process runs, with a limit in bytes. Introspection is free of
 * charge, so the time spent on new answers is limited per minute, for each caller and for all together.
 */
export class Introspections {
  readonly #answers: LRUCache<string, string>
  readonly #msPerCaller: number
  readonly #msInAll: number
  readonly #nowMs: () => number
  readonly #spentByCaller = new LRUCache<string, number>({ max: MAX_CALLERS })
  #spentMs = 0
  #minuteEndsMs = Number.NEGATIVE_INFINITY
  /** Waiting introspections; each runs in a separate iteration of the event loop. */
  #queue: Promise<void> = Promise.resolve()

  constructor({
    maxBytes = MAX_BYTES,
    msPerCaller = MS_PER_CALLER,
    msInAll = MS_IN_ALL,
    nowMs = () => performance.now(),
  }: IntrospectionLimits = {}) {
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (json, key) => BYTES_PER_ENTRY + BYTES_PER_CHAR * (json.length + key.length),
    })
    this.#msPerCaller = msPerCaller
    this.#msInAll = msInAll
    this.#nowMs = nowMs
  }

  /** Returns the JSON of the answer's data, computed by `compute` if it is not cached, or the result if it has errors. */
  async answer(
    introspection: Introspection,
    context: RequestContext,
    compute: () => ExecutionResult | Promise<ExecutionResult>,
  ): Promise<string | ExecutionResult> {
    const key = JSON.stringify([introspection.text, introspection.operationName, introspection.variables])
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    this.#queue = this.#queue.then(() => nextIteration())
    await this.#queue
    return this.#answers.get(key) ?? this.#compute(key, context, compute)
  }

  /** Runs a function whose answer is not cached, and measures the time of the call. Throws 429 or 503. */
  run<Result>({ principal, clientAddress, now }: RequestContext, compute: () => Result): Result {
    const caller = principal.kind === 'anonymous' ? clientAddress : principal.accountId
    this.#assertNotSpent(caller, now)
    const startedMs = this.#nowMs()
    try {
      return compute()
    } finally {
      const tookMs = this.#nowMs() - startedMs
      this.#spentMs += tookMs
      this.#spentByCaller.set(caller, (this.#spentByCaller.get(caller) ?? 0) + tookMs)
    }
  }

  async #compute(
    key: string,
    context: RequestContext,
    compute: () => ExecutionResult | Promise<ExecutionResult>,
  ): Promise<string | ExecutionResult> {
    const answer = this.run(context, () => {
      const result = compute()
      return result instanceof Promise || result.errors ? result : JSON.stringify(result.data)
    })
    if (typeof answer === 'string') this.#answers.set(key, answer)
    return answer
  }

  #assertNotSpent(caller: string, now: Date): void {
    const nowMs = this.#nowMs()
    if (nowMs >= this.#minuteEndsMs) {
      this.#minuteEndsMs = nowMs + MINUTE_MS
      this.#spentMs = 0
      this.#spentByCaller.clear()
    }
    const retryAfter = Math.ceil((now.getTime() + this.#minuteEndsMs - nowMs) / 1000)
    if ((this.#spentByCaller.get(caller) ?? 0) >= this.#msPerCaller)
      throw new ApiError('rate_limit_exceeded', {
        message:
          'New introspection queries have used up the time of this minute. Try again later, or repeat the same query text, which is cached.',
        retryAfter,
      })
    if (this.#spentMs >= this.#msInAll)
      throw new ApiError('service_unavailable', {
        message: 'Too many introspection queries are running; try again in a moment.',
        retryAfter,
      })
  }
}
