import type { Exchange } from '../../../platform/request/exchange.js'
import { type Cost, FREE, type Price } from '../../../policy/price.js'
import { leftOf, quotaExceeded, type Standing } from '../../../policy/quota.js'
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
    const verdict = this.#meter.charge(principal, price, exchange.origin, exchange.now)
    const settle = ({ accepted, standings }: Verdict) => {
      progress.standings = standings
      if (!accepted) throw quotaExceeded(principal.tier, standings)
      progress.charged = price.units
      return costOf(price.units, standings, price)
    }
    return verdict instanceof Promise ? verdict.then(settle) : settle(verdict)
  }

  /** What a dry run answers: the price, and what is left with nothing taken. */
  async priceOf(charged: Charged, price: Price): Promise<Cost> {
    return { ...(await this.#look(charged, price)), price: price.units }
  }

  /** Gives back the part of a price that was charged for what failed. */
  async refund({ exchange, progress }: Charged, refund: Price, price: Price): Promise<Cost | null> {
    const { principal, standings } = progress
    if (principal.kind === 'anonymous' || standings === null) return null
    // A part may have been given back before: never more than is still charged.
    const part = refund.units <= progress.charged ? refund : { ...FREE, units: progress.charged }
    if (part.units > 0) {
      progress.standings = await this.#meter.refund(
        principal,
        part,
        { standings, origin: exchange.origin },
        exchange.now,
      )
      progress.charged -= part.units
    }
    return costOf(progress.charged, progress.standings ?? [], price)
  }

  async #look({ exchange, progress }: Charged, price: Price): Promise<Cost> {
    const { principal } = progress
    if (principal.kind === 'anonymous') return costOf(0, [], price)
    progress.standings = await this.#meter.standings(principal, exchange.now, price.discovers > 0)
    return costOf(0, progress.standings, price)
  }
}

function costOf(charged: number, standings: readonly Standing[], { values }: Price): Cost {
  const cost = { charged, remaining: leftOf(standings) }
  return values === undefined ? cost : { ...cost, values }
}
