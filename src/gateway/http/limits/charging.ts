import type { Exchange } from '../../../platform/request/exchange.js'
import { PAGE_VIEW_HEADER, pageViewIdOf } from '../../../policy/page-view.js'
import { type Cost, FREE, type Price } from '../../../policy/price.js'
import type { Caller } from '../../../policy/principal.js'
import { type QuotaStatus, quotaExceeded, unitsLeft } from '../../../policy/quota.js'
import type { Progress } from '../progress.js'
import type { Meter, Verdict } from './meter.js'

/** A request to charge. Anonymous callers are never charged. */
interface Charged {
  readonly exchange: Exchange
  readonly progress: Progress
}

/** Charges and refunds requests, and records charge and quotas in their progress. */
export class Charging {
  readonly #meter: Meter

  constructor(meter: Meter) {
    this.#meter = meter
  }

  /** Charges the price before anything runs; throws 429 if a quota is exceeded. */
  charge(charged: Charged, price: Price): Cost | null | Promise<Cost | null> {
    const { exchange, progress } = charged
    const { principal } = progress
    if (principal.kind === 'anonymous') return null
    if (price.units === 0) return this.#peek(charged, price)
    const viewId = pageViewIdOf(principal, exchange.header(PAGE_VIEW_HEADER))
    if (viewId !== null && price.discovers === 0)
      return this.#chargePageView(charged, principal, viewId, price)
    return this.#chargePrice(charged, principal, price)
  }

  async #chargePageView(charged: Charged, caller: Caller, viewId: string, price: Price): Promise<Cost> {
    const { exchange, progress } = charged
    const { clientAddress, now } = exchange
    const verdict = await this.#meter.chargePageView(caller, viewId, price, clientAddress, now)
    if (verdict === null) return this.#chargePrice(charged, caller, price)
    progress.statuses = verdict.statuses
    if (!verdict.accepted) throw quotaExceeded(caller.tier, verdict.statuses)
    // The unit is not refunded if this request fails: it is for all requests of the page view.
    return costOf(verdict.charged, verdict.statuses, price)
  }

  #chargePrice({ exchange, progress }: Charged, principal: Caller, price: Price): Cost | Promise<Cost> {
    const verdict = this.#meter.charge(principal, price, exchange.clientAddress, exchange.now)
    const settle = ({ accepted, statuses }: Verdict) => {
      progress.statuses = statuses
      if (!accepted) throw quotaExceeded(principal.tier, statuses)
      progress.charged = price.units
      return costOf(price.units, statuses, price)
    }
    return verdict instanceof Promise ? verdict.then(settle) : settle(verdict)
  }

  /** Returns the price and the remaining units for a dry run, without charging. */
  async priceOf(charged: Charged, price: Price): Promise<Cost> {
    return { ...(await this.#peek(charged, price)), price: price.units }
  }

  /** Refunds the part of a price that failed. */
  async refund({ exchange, progress }: Charged, refund: Price, price: Price): Promise<Cost | null> {
    const { principal, statuses } = progress
    if (principal.kind === 'anonymous' || statuses === null) return null
    // A part may have been refunded before, so the refund must not exceed the remaining charge.
    const part = refund.units <= progress.charged ? refund : { ...FREE, units: progress.charged }
    if (part.units > 0) {
      progress.statuses = await this.#meter.refund(
        principal,
        part,
        { statuses, clientAddress: exchange.clientAddress },
        exchange.now,
      )
      progress.charged -= part.units
    }
    return costOf(progress.charged, progress.statuses ?? [], price)
  }

  async #peek({ exchange, progress }: Charged, price: Price): Promise<Cost> {
    const { principal } = progress
    if (principal.kind === 'anonymous') return costOf(0, [], price)
    progress.statuses = await this.#meter.statuses(principal, exchange.now, price.discovers > 0)
    return costOf(0, progress.statuses, price)
  }
}

function costOf(charged: number, statuses: readonly QuotaStatus[], { values }: Price): Cost {
  const cost = { charged, remaining: unitsLeft(statuses) }
  return values === undefined ? cost : { ...cost, values }
}
