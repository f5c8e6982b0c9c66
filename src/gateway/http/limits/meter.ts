import type { BurstGuard } from '../../../platform/counters/burst-guard.js'
import type { Charge, Counters } from '../../../platform/counters/counters.js'
import type { UsageRecorder } from '../../../platform/counters/usage.js'
import { FREE, type Price } from '../../../policy/price.js'
import { type Caller, callerKey } from '../../../policy/principal.js'
import {
  type PricedQuotaStatus,
  policiesOf,
  type QuotaPolicy,
  type QuotaStatus,
} from '../../../policy/quota.js'

export interface Verdict {
  readonly accepted: boolean
  /** After the take, or unchanged when it was refused. */
  readonly statuses: readonly PricedQuotaStatus[]
}

export interface MeterOptions {
  readonly counters: Counters
  readonly usage: UsageRecorder
  readonly burst: BurstGuard
}

/** The windows of a caller that every call is bound by, and what a call of so many units takes from them. */
interface BoundCaller {
  readonly policies: readonly QuotaPolicy[]
  units: number
  charges: readonly Charge[]
}

/** Takes prices from callers' quotas, gives back what failed, notes their use, and says what is left. */
export class Meter {
  readonly #options: MeterOptions
  readonly #bound = new WeakMap<Caller, BoundCaller>()

  constructor(options: MeterOptions) {
    this.#options = options
  }

  /** Takes a price above zero from every window that binds the call, or from none. `clientAddress` is the caller's address hash. */
  charge(caller: Caller, price: Price, clientAddress: string, now: Date): Verdict | Promise<Verdict> {
    return this.#take(caller, price, now, () => {
      // The guard bounds what is free of charge: what was paid for does not count there.
      this.#options.burst.forgive(clientAddress, now)
      this.#options.burst.forgive(callerKey(caller), now)
      this.#record(caller, price, 1, now)
    })
  }

  /** The same for one more event of a request that was charged when it began. */
  chargeEvent(caller: Caller, price: Price, now: Date): Verdict | Promise<Verdict> {
    return this.#take(caller, price, now, () => this.#record(caller, price, 0, now))
  }

  #take(caller: Caller, price: Price, now: Date, note: () => void): Verdict | Promise<Verdict> {
    const { policies, charges } = this.#chargesOf(caller, price, now)
    const taken = this.#options.counters.consume(charges, now)
    const settle = ({ accepted, used }: Awaited<typeof taken>): Verdict => {
      if (accepted) note()
      const statuses = policies.map((policy, index) => ({
        policy,
        used: used[index] ?? 0,
        units: charges[index]?.units ?? 0,
      }))
      return { accepted, statuses }
    }
    return taken instanceof Promise ? taken.then(settle) : settle(taken)
  }

  /** Gives back a part of what was charged; what it was for is free again, so the burst guard counts the request. */
  async refund(
    caller: Caller,
    price: Price,
    {
      statuses,
      clientAddress,
    }: { readonly statuses: readonly QuotaStatus[]; readonly clientAddress: string },
    now: Date,
  ): Promise<readonly QuotaStatus[]> {
    const { counters, burst } = this.#options
    const charges = chargesOf(
      statuses.map(({ policy }) => policy),
      price,
    )
    await counters.refund(charges, now)
    burst.allow(clientAddress, now)
    burst.allow(callerKey(caller), now)
    this.#takeBack(caller, price, 1, now)
    return statuses.map((status, index) => ({
      ...status,
      used: Math.max(0, status.used - (charges[index]?.units ?? 0)),
    }))
  }

  /** The same for an event, in the windows that it was charged in: one that is over since stays as it is. */
  async refundEvent(
    caller: Caller,
    price: Price,
    { chargedAt, now }: { readonly chargedAt: Date; readonly now: Date },
  ): Promise<void> {
    const policies = policiesOf(caller, price.discovers > 0 ? 'discover' : 'metered', chargedAt)
    await this.#options.counters.refund(chargesOf(policies, price), now)
    this.#takeBack(caller, price, 0, chargedAt)
  }

  /** What is left to the caller, with nothing taken. */
  statuses(
    caller: Caller,
    now: Date,
    isDiscover = false,
  ): readonly QuotaStatus[] | Promise<readonly QuotaStatus[]> {
    const policies = this.#policiesOf(caller, isDiscover, now)
    const used = this.#options.counters.peek(
      policies.map((policy) => chargeOf(policy, 0)),
      now,
    )
    const settle = (figures: readonly number[]) =>
      policies.map((policy, index) => ({ policy, used: figures[index] ?? 0 }))
    return used instanceof Promise ? used.then(settle) : settle(used)
  }

  #record({ accountId, keyId }: Caller, price: Price, requests: number, now: Date): void {
    for (const { field, units } of price.fields)
      this.#options.usage.record({ accountId, keyId, operation: field, units, requests, at: now })
  }

  #takeBack({ accountId, keyId }: Caller, price: Price, requests: number, at: Date): void {
    for (const { field, units } of price.fields)
      this.#options.usage.takeBack({ accountId, keyId, operation: field, units, requests, at })
  }

  /** A caller's requests mostly cost the same, and then share their charges. */
  #chargesOf(caller: Caller, price: Price, now: Date): Pick<BoundCaller, 'policies' | 'charges'> {
    const policies = this.#policiesOf(caller, price.discovers > 0, now)
    const bound = this.#bound.get(caller)
    if (bound?.policies !== policies) return { policies, charges: chargesOf(policies, price) }
    if (bound.units !== price.units) {
      bound.units = price.units
      bound.charges = chargesOf(policies, price)
    }
    return bound
  }

  /** Of a caller's windows the hour ends first; until then they stay the same. */
  #policiesOf(caller: Caller, isDiscover: boolean, now: Date): readonly QuotaPolicy[] {
    if (isDiscover) return policiesOf(caller, 'discover', now)
    const known = this.#bound.get(caller)?.policies
    if (known !== undefined && isWithin(known[0], now)) return known
    const metered = policiesOf(caller, 'metered', now)
    this.#bound.set(caller, { policies: metered, units: 0, charges: chargesOf(metered, FREE) })
    return metered
  }
}

function isWithin(window: QuotaPolicy | undefined, now: Date): boolean {
  if (window === undefined) return false
  const nowMs = now.getTime() // compared as dates, both are turned into numbers the long way
  return nowMs >= window.windowStart.getTime() && nowMs < window.windowEnd.getTime()
}

function chargesOf(policies: readonly QuotaPolicy[], { units, discovers }: Price): readonly Charge[] {
  return policies.map((policy) => chargeOf(policy, policy.name === 'discover_day' ? discovers : units))
}

function chargeOf({ counterKey, quota, windowEnd }: QuotaPolicy, units: number): Charge {
  return { key: counterKey, quota, units, windowEnd }
}
