import type { Exchange } from '../../../platform/request/exchange.js'
import { type Cost, FREE, type Price } from '../../../policy/price.js'
import { type QuotaStatus, quotaExceeded, unitsLeft } from '../../../policy/quota.js'
import type { Progress } from '../progress.js'
import type { Meter, Verdict } from './meter.js'

/** A request that is charged; anonymous callers never are. */
interface Charged {
  readonly exchange: Exchange
  readonly progress: Progress
}

/** The charge of a request, from its price to what is given back; notes in its progress how things are. */
export class Charging {
  readonly #meter: Meter

  constructor(meter: Meter) {
    this.#meter = meter
  }

  /** Takes the price before anything runs; 429 when it does not fit. */
  charge(charged: Charged, price: Price): Cost | null | Promise<Cost | null> {
    const { exchange, progress } = charged
    const { principal } = progress
    if (principal.kind === 'anonymous') return null
    if (price.units === 0) return this.#look(charged, price)
    const verdict = this.#meter.charge(principal, price, exchange.clientAddress, exchange.now)
    const settle = ({ accepted, statuses }: Verdict) => {
      progress.statuses = statuses
      if (!accepted) throw quotaExceeded(principal.tier, statuses)
      progress.charged = price.units
      return costOf(price.units, statuses, price)
    }
    return verdict instanceof Promise ? verdict.then(settle) : settle(verdict)
  }

  /** What a dry run answers: the price, and what is left with nothing taken. */
  async priceOf(charged: Charged, price: Price): Promise<Cost> {
    return { ...(await this.#look(charged, price)), price: price.units }
  }

  /** Gives back the part of a price that was charged for what failed. */
  async refund({ exchange, progress }: Charged, refund: Price, price: Price): Promise<Cost | null> {
    const { principal, statuses } = progress
    if (principal.kind === 'anonymous' || statuses === null) return null
    // A part may have been given back before: never more than is still charged.
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

  async #look({ exchange, progress }: Charged, price: Price): Promise<Cost> {
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
