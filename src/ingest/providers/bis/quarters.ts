import { Decimal, type DecimalText, decimalText, roundSignificant } from '../../../core/decimal.js'
import { startOfQuarter } from '../../../core/period.js'
import type { IsoDate } from '../../../core/time.js'
import { BrokenBody } from '../../feed.js'
import type { BodySeries } from './series-facts.js'

/** A mean is given to more digits than any month has. */
const MEAN_DIGITS = 12

/** The monthly flows have some hundred thousand quarters in all, nearly all of them complete when read. */
const MAX_OPEN_QUARTERS = 200_000

interface Month {
  readonly start: IsoDate
  readonly value: DecimalText | null
}

/** Makes quarters of months, by the rule of the dataset; a quarter is there once its three months are. */
export class Quarters {
  readonly #rule: 'mean' | 'last'
  readonly #open = new Map<string, Month[]>()
  readonly #refused = new Set<string>()

  constructor(rule: 'mean' | 'last') {
    this.#rule = rule
  }

  /** Gives no quarter with a month that is contradicted; says whether the quarter was given before. */
  refuse(key: string, month: IsoDate): boolean {
    const place = `${key} ${startOfQuarter(month)}`
    if (this.#refused.has(place)) return false
    this.#refused.add(place)
    return !this.#open.delete(place)
  }

  /** The quarter that the month completes, else null. */
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
        throw new BrokenBody(`the body has more than ${MAX_OPEN_QUARTERS} quarters without all their months`)
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
