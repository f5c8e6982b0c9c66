import { LRUCache } from 'lru-cache'
import { ApiError } from '../../../core/errors.js'
import { MINUTE_MS } from '../../../core/time.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { GatewayPlugin, IsAnonymous } from '../operation-context.js'

/** Answering with the whole schema takes about ten milliseconds, so a caller may send many different queries for it. */
const MS_PER_CALLER = 2_000

/** A tenth of the time of the process. */
const MS_IN_ALL = 6_000

/** Number of callers counted per minute. The limit for all callers applies to the others. */
const MAX_CALLERS = 10_000

/** The caller whose free work is counted: an account, a visitor with the demo key, or the address of an anonymous one. */
export type FreeCaller = Pick<RequestContext, 'principal' | 'clientAddress' | 'now'>

export interface FreeWorkLimits {
  readonly msPerCaller?: number
  readonly msInAll?: number
  readonly nowMs?: () => number
}

/**
 * Limits the time per minute of work that costs its caller nothing: for each caller, and for all together where any caller may
 * cause it.
 */
export class FreeWork {
  readonly #msPerCaller: number
  readonly #msInAll: number
  readonly #nowMs: () => number
  readonly #spentByCaller = new LRUCache<string, number>({ max: MAX_CALLERS })
  #spentMs = 0
  #minuteEndsMs = Number.NEGATIVE_INFINITY

  constructor({
    msPerCaller = MS_PER_CALLER,
    msInAll = MS_IN_ALL,
    nowMs = () => performance.now(),
  }: FreeWorkLimits = {}) {
    this.#msPerCaller = msPerCaller
    this.#msInAll = msInAll
    this.#nowMs = nowMs
  }

  /** Runs a function and counts the time of the call. Throws like `begin`. */
  run<Result>(caller: FreeCaller, work: () => Result): Result {
    const end = this.begin(caller)
    try {
      return work()
    } finally {
      end()
    }
  }

  /** Returns a function that counts the time since this call. Throws 429 or 503 if the time of this minute is used up. */
  begin(caller: FreeCaller): () => void {
    this.#assertNotSpent(caller)
    return this.#timer(caller)
  }

  /** Like `begin` for work that usually belongs to a charged operation: other callers cannot use up its time. */
  beginOwn(caller: FreeCaller): () => void {
    this.#assertOwnNotSpent(caller)
    return this.#timer(caller)
  }

  #timer(caller: FreeCaller): () => void {
    const startedMs = this.#nowMs()
    return () => this.#spend(caller, this.#nowMs() - startedMs)
  }

  /** Counts a known time. Throws like `begin`. */
  spend(caller: FreeCaller, ms: number): void {
    this.#assertNotSpent(caller)
    this.#spend(caller, ms)
  }

  #spend(caller: FreeCaller, ms: number): void {
    const key = keyOf(caller)
    this.#spentMs += ms
    this.#spentByCaller.set(key, (this.#spentByCaller.get(key) ?? 0) + ms)
  }

  #assertNotSpent(caller: FreeCaller): void {
    const retryAfter = this.#assertOwnNotSpent(caller)
    if (this.#spentMs < this.#msInAll) return
    throw new ApiError('service_unavailable', {
      message: 'Too many operations that are free of charge are running; try again in a moment.',
      retryAfter,
    })
  }

  /** Returns the end of the minute in epoch seconds. */
  #assertOwnNotSpent(caller: FreeCaller): number {
    const nowMs = this.#nowMs()
    if (nowMs >= this.#minuteEndsMs) {
      this.#minuteEndsMs = nowMs + MINUTE_MS
      this.#spentMs = 0
      this.#spentByCaller.clear()
    }
    const retryAfter = Math.ceil((caller.now.getTime() + this.#minuteEndsMs - nowMs) / 1000)
    if ((this.#spentByCaller.get(keyOf(caller)) ?? 0) < this.#msPerCaller) return retryAfter
    throw new ApiError('rate_limit_exceeded', {
      message:
        'Operations that are free of charge have used up the time of this minute: introspection, invalid operations, and those without a key. Try again later.',
      retryAfter,
    })
  }
}

function keyOf({ principal, clientAddress }: FreeCaller): string {
  return principal.kind === 'anonymous' ? clientAddress : principal.meterId
}

/** Counts the time of reading documents that cost nothing: all of callers without a key, and invalid ones. */
export function useFreeWork(work: FreeWork, isAnonymous: IsAnonymous): GatewayPlugin {
  return {
    onParse: ({ context }) => {
      const end = isAnonymous(context) ? work.begin(context) : work.beginOwn(context)
      return ({ result }) => {
        if (isAnonymous(context) || result instanceof Error) end()
      }
    },
    onValidate: ({ context }) => {
      const end = isAnonymous(context) ? work.begin(context) : work.beginOwn(context)
      return ({ valid }) => {
        if (isAnonymous(context) || !valid) end()
      }
    },
  }
}
