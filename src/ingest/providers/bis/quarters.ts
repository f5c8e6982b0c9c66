import { Decimal, type DecimalText, decimalText, roundSignificant } from '../../../core/decimal.js'
import { startOfQuarter } from '../../../core/period.js'
import type { IsoDate } from '../../../core/time.js'
import { BrokenBody } from '../../feed.js'
import type { BodySeries } from './series-facts.js'

/** More digits than any monthly value has, for the mean. */
const MEAN_DIGITS = 12

/** The monthly flows have some hundred thousand quarters, of which few are incomplete at a time. */
const MAX_OPEN_QUARTERS = 200_000

interface Month {
  readonly start: IsoDate
  readonly value: DecimalText | null
}

/** Makes quarters from months by the rule of the dataset. A quarter exists once its three months do. */
export class Quarters {
  readonly #rule: 'mean' | 'last'
  readonly #open = new Map<string, Month[]>()
  readonly #refused = new Set<string>()

  constructor(rule: 'mean' | 'last') {
    this.#rule = rule
  }

  /** Drops the quarter of a contradicted month. Returns whether the quarter was already given. */
  refuse(key: string, month: IsoDate): boolean {
    const place = `${key} ${startOfQuarter(month)}`
    if (this.#refused.has(place)) return false
    this.#refused.add(place)
    return !this.#open.delete(place)
  }

  /** The quarter that the month completes, or null. */
  add(
    { key }: BodySeries,
    month: Month,
  ): { readonly start: IsoDate; readonly value: DecimalText | null } | null {
    const start = startOfQuarter(month.start)
    const place = `${key} ${start}`
    if (this.#refused.has(place)) return null
    const months = [...(this.#open.get(place) ?? []), month]
    if (months.length < 3) {
      if (this.#open.size >= MAX_OPEN_QUARTERS) {
        throw new BrokenBody(`the body has more than ${MAX_OPEN_QUARTERS} incomplete quarters`)
      }
      this.#open.set(place, months)
      return null
    }
    this.#open.delete(place)
    return { start, value: this.#rule === 'mean' ? meanOf(months) : lastOf(months) }
  }
}

function meanOf(months: readonly Month[]): DecimalText | null {
  let sum = new Decimal(0)
  for (const { value } of months) {
    if (value === null) return null
    sum = sum.plus(value)
  }
  return decimalText(roundSignificant(sum.dividedBy(months.length), MEAN_DIGITS))
}

function lastOf(months: readonly Month[]): DecimalText | null {
  const [first, ...others] = months
  return (
    others.reduce((last, month) => (month.start > (last?.start ?? '') ? month : last), first)?.value ?? null
  )
}
