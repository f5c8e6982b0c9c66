import type { BurstGuard } from '../../../platform/quota/burst-guard.js'
import type { Charge, Counters } from '../../../platform/quota/counters.js'
import type { UsageRecorder } from '../../../platform/usage/usage.js'
import { PAGE_VIEW_UNITS } from '../../../policy/limits.js'
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
  /** After the charge, or unchanged if it was rejected. */
  readonly statuses: readonly PricedQuotaStatus[]
}

export interface PageViewVerdict extends Verdict {
  /** The page view's unit, or 0 if an earlier request paid it. */
  readonly charged: number
}

export interface MeterOptions {
  readonly counters: Counters
  readonly usage: UsageRecorder
  readonly burst: BurstGuard
}

/** The quota windows of a caller, and the charges of a call of `units`. */
interface BoundCaller {
  readonly policies: readonly QuotaPolicy[]
  units: number
  charges: readonly Charge[]
}

/** Charges prices to callers' quotas, refunds failed parts, records usage, and returns what is left. */
export class Meter {
  readonly #options: MeterOptions
  readonly #bound = new WeakMap<Caller, BoundCaller>()

  constructor(options: MeterOptions) {
    this.#options = options
  }

  /** Charges a price above zero to all windows of the call, or to none. `clientAddress` is the hashed address. */
  charge(caller: Caller, price: Price, clientAddress: string, now: Date): Verdict | Promise<Verdict> {
    return this.#consume(caller, price, now, () => this.#recordCharged(caller, price, clientAddress, now))
  }

  /**
   * Charges a request of a page view: the first one pays a unit for all of them, unless that exceeds a quota. Null if its price
   * exceeds what that unit covers, so that it must be charged as elsewhere.
   */
  async chargePageView(
    caller: Caller,
    viewId: string,
    price: Price,
    clientAddress: string,
    now: Date,
  ): Promise<PageViewVerdict | null> {
    const { counters } = this.#options
    if (price.units > PAGE_VIEW_UNITS) return null
    const unit = unitOf(price)
    const { policies, charges } = this.#chargesOf(caller, unit, now)
    const [hour] = charges
    if (hour === undefined) throw new Error('a caller has a quota of the hour')
    const payment = { ...hour, key: `${hour.key}:page:${viewId}:payment`, quota: 1 }
    const use = { ...hour, key: `${hour.key}:page:${viewId}:use`, quota: PAGE_VIEW_UNITS, units: price.units }
    const { accepted: isPaidNow, used } = await counters.consume([...charges, payment], now)
    const statuses = statusesOf(policies, charges, used)
    if (isPaidNow) this.#recordCharged(caller, unit, clientAddress, now)
    else if ((used[charges.length] ?? 0) < payment.quota) return { accepted: false, statuses, charged: 0 }
    const { accepted: isCovered } = await counters.consume([use], now)
    if (!isCovered) return null
    return { accepted: true, statuses, charged: isPaidNow ? 1 : 0 }
  }

  /** Charges a further event of a subscription, whose first event was charged when it began. */
  chargeEvent(caller: Caller, price: Price, now: Date): Verdict | Promise<Verdict> {
    return this.#consume(caller, price, now, () => this.#record(caller, price, 0, now))
  }

  #consume(caller: Caller, price: Price, now: Date, onAccepted: () => void): Verdict | Promise<Verdict> {
    const { policies, charges } = this.#chargesOf(caller, price, now)
    const consumed = this.#options.counters.consume(charges, now)
    const settle = ({ accepted, used }: Awaited<typeof consumed>): Verdict => {
      if (accepted) onAccepted()
      return { accepted, statuses: statusesOf(policies, charges, used) }
    }
    return consumed instanceof Promise ? consumed.then(settle) : settle(consumed)
  }

  /** Refunds a part of a charge. The request is then free of charge, so the burst guard counts it. */
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
      caller,
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

  /** Refunds an event in the windows in which it was charged. A window that has ended does not change. */
  async refundEvent(
    caller: Caller,
    price: Price,
    { chargedAt, now }: { readonly chargedAt: Date; readonly now: Date },
  ): Promise<void> {
    const policies = policiesOf(caller, price.discovers > 0 ? 'discover' : 'metered', chargedAt)
    await this.#options.counters.refund(chargesOf(caller, policies, price), now)
    this.#takeBack(caller, price, 0, chargedAt)
  }

  /** Returns the caller's quotas without charging. */
  statuses(
    caller: Caller,
    now: Date,
    isDiscover = false,
  ): readonly QuotaStatus[] | Promise<readonly QuotaStatus[]> {
    const policies = this.#policiesOf(caller, isDiscover, now)
    const used = this.#options.counters.peek(
      policies.map((policy) => chargeOf(caller, policy, 0)),
      now,
    )
    const settle = (figures: readonly number[]) =>
      policies.map((policy, index) => ({ policy, used: figures[index] ?? 0 }))
    return used instanceof Promise ? used.then(settle) : settle(used)
  }

  /** The burst guard limits free requests only, so a charged request does not count there. */
  #recordCharged(caller: Caller, price: Price, clientAddress: string, now: Date): void {
    this.#options.burst.forgive(clientAddress, now)
    this.#options.burst.forgive(callerKey(caller), now)
    this.#record(caller, price, 1, now)
  }

  #record({ accountId, keyId }: Caller, price: Price, requests: number, now: Date): void {
    for (const { field, units } of price.fields)
      this.#options.usage.record({ accountId, keyId, operation: field, units, requests, at: now })
  }

  #takeBack({ accountId, keyId }: Caller, price: Price, requests: number, at: Date): void {
    for (const { field, units } of price.fields)
      this.#options.usage.takeBack({ accountId, keyId, operation: field, units, requests, at })
  }

  /** Most requests of a caller have the same price, so they share one list of charges. */
  #chargesOf(caller: Caller, price: Price, now: Date): Pick<BoundCaller, 'policies' | 'charges'> {
    const policies = this.#policiesOf(caller, price.discovers > 0, now)
    const bound = this.#bound.get(caller)
    if (bound?.policies !== policies) return { policies, charges: chargesOf(caller, policies, price) }
    if (bound.units !== price.units) {
      bound.units = price.units
      bound.charges = chargesOf(caller, policies, price)
    }
    return bound
  }

  /** The hour is the window that ends first; until then the policies stay the same. */
  #policiesOf(caller: Caller, isDiscover: boolean, now: Date): readonly QuotaPolicy[] {
    if (isDiscover) return policiesOf(caller, 'discover', now)
    const known = this.#bound.get(caller)?.policies
    if (known !== undefined && isWithin(known[0], now)) return known
    const metered = policiesOf(caller, 'metered', now)
    this.#bound.set(caller, { policies: metered, units: 0, charges: chargesOf(caller, metered, FREE) })
    return metered
  }
}

/** One unit for the first field of a price: the usage of a page view is counted by the field that paid for it. */
function unitOf({ fields }: Price): Price {
  return { fields: fields.slice(0, 1).map(({ field }) => ({ field, units: 1 })), units: 1, discovers: 0 }
}

/** The policies with the use and the units of their charges, in the same order. */
function statusesOf(
  policies: readonly QuotaPolicy[],
  charges: readonly Charge[],
  used: readonly number[],
): readonly PricedQuotaStatus[] {
  return policies.map((policy, index) => ({
    policy,
    used: used[index] ?? 0,
    units: charges[index]?.units ?? 0,
  }))
}

function isWithin(window: QuotaPolicy | undefined, now: Date): boolean {
  if (window === undefined) return false
  const nowMs = now.getTime() // comparing Date objects is slower
  return nowMs >= window.windowStart.getTime() && nowMs < window.windowEnd.getTime()
}

function chargesOf(
  caller: Caller,
  policies: readonly QuotaPolicy[],
  { units, discovers }: Price,
): readonly Charge[] {
  return policies.map((policy) =>
    chargeOf(caller, policy, policy.name === 'discover_day' ? discovers : units),
  )
}

function chargeOf(
  { accountId }: Caller,
  { counterKey, quota, windowEnd }: QuotaPolicy,
  units: number,
): Charge {
  return { key: counterKey, owner: accountId, quota, units, windowEnd }
}
