import type { BurstGuard } from '../platform/burst-guard.js'
import type { Counters } from '../platform/counters.js'
import type { Logger } from '../platform/logger.js'
import type { UsageRecorder } from '../platform/usage.js'
import { type Caller, callerKey } from '../policy/principal.js'
import {
  type PricedStanding,
  policiesOf,
  type QuotaPolicy,
  rateLimitHeaders,
  type Standing,
} from '../policy/quota.js'

/** What a call costs. */
export interface Price {
  /** By root field; a field that costs nothing is left out. */
  readonly fields: readonly { readonly field: string; readonly units: number }[]
  readonly units: number
  /** Calls of discover among them, which a window of their own bounds too. */
  readonly discovers: number
}

export interface Verdict {
  readonly accepted: boolean
  /** After the take, or as they stand when it was refused. */
  readonly standings: readonly PricedStanding[]
}

export interface MeterOptions {
  readonly counters: Counters
  readonly usage: UsageRecorder
  readonly burst: BurstGuard
}

/** The one meter of both doors: takes prices from callers' quotas, notes their use, and says where they stand. */
export class Meter {
  readonly #options: MeterOptions
  readonly #policies = new WeakMap<Caller, readonly QuotaPolicy[]>()

  constructor(options: MeterOptions) {
    this.#options = options
  }

  /** Takes a price above zero from every window that binds the call, or from none. `origin` is the caller's address hash. */
  charge(caller: Caller, price: Price, origin: string, now: Date): Verdict | Promise<Verdict> {
    const policies = this.#policiesOf(caller, price.discovers > 0, now)
    const units = policies.map(({ name }) => (name === 'discover_day' ? price.discovers : price.units))
    const taken = this.#options.counters.take(
      policies.map((policy, index) => chargeOf(policy, units[index] ?? 0)),
      now,
    )
    const settle = ({ accepted, used }: Awaited<typeof taken>): Verdict => {
      if (accepted) this.#note(caller, price, origin, now)
      const standings = policies.map((policy, index) => ({
        policy,
        used: used[index] ?? 0,
        units: units[index] ?? 0,
      }))
      return { accepted, standings }
    }
    return taken instanceof Promise ? taken.then(settle) : settle(taken)
  }

  /** Where the caller stands, with nothing taken. */
  standings(
    caller: Caller,
    now: Date,
    isDiscover = false,
  ): readonly Standing[] | Promise<readonly Standing[]> {
    const policies = this.#policiesOf(caller, isDiscover, now)
    const used = this.#options.counters.peek(
      policies.map((policy) => chargeOf(policy, 0)),
      now,
    )
    const settle = (figures: readonly number[]) =>
      policies.map((policy, index) => ({ policy, used: figures[index] ?? 0 }))
    return used instanceof Promise ? used.then(settle) : settle(used)
  }

  /** Headers that say where the caller stands, with nothing taken; none, and a line in the log, without the counters. */
  async limitHeaders(caller: Caller, now: Date, log: Pick<Logger, 'warn'>): Promise<Record<string, string>> {
    try {
      return rateLimitHeaders(await this.standings(caller, now), now)
    } catch (error) {
      // Mostly a 503 already: it goes out without them, rather than not at all.
      log.warn({ err: error }, 'the rate limit headers could not be made')
      return {}
    }
  }

  /** The guard bounds what is free of charge: what was paid for does not count there. */
  #note(caller: Caller, price: Price, origin: string, now: Date): void {
    const { usage, burst } = this.#options
    burst.forgive(origin, now)
    burst.forgive(callerKey(caller), now)
    const { accountId, keyId } = caller
    for (const { field, units } of price.fields)
      usage.record({ accountId, keyId, operation: field, units, requests: 1, at: now })
  }

  /** Of a caller's windows the hour ends first; until then they stay the same. */
  #policiesOf(caller: Caller, isDiscover: boolean, now: Date): readonly QuotaPolicy[] {
    if (isDiscover) return policiesOf(caller, 'discover', now)
    const known = this.#policies.get(caller)
    if (known !== undefined && isWithin(known[0], now)) return known
    const metered = policiesOf(caller, 'metered', now)
    this.#policies.set(caller, metered)
    return metered
  }
}

function isWithin(window: QuotaPolicy | undefined, now: Date): boolean {
  return window !== undefined && now >= window.windowStart && now < window.windowEnd
}

function chargeOf({ counterKey, quota, windowEnd }: QuotaPolicy, units: number) {
  return { key: counterKey, quota, units, windowEnd }
}
