import type { IsoDate } from '../../core/time.js'
import { BrokenBody } from '../feed.js'

/** Several times as many as the largest flow has; each takes some hundred bytes. */
const MAX_SERIES = 1_000_000

/** A range of days is kept as one number: days stay below this. */
const RANGE_BASE = 2 ** 20

/** In place of a value: the period has had two that contradict each other. */
const CONTESTED = Symbol('contested')

/** Why a row cannot count. */
interface Contradiction {
  readonly wrong: string
  /** The earlier row of the period counts no more either; false: it was taken back before. */
  readonly isFirst: boolean
}

/** More than any month has, so that a number per day rises with time. */
const MAX_DAYS = 31

/**
 * Finds rows that a body gives twice, in memory that grows with its series, not with its rows: each value of the series that
 * is being read, and of every other one the first and last period.
 */
export class SeenPeriods {
  readonly #ranges = new Map<string, number>()
  #series = ''
  readonly #values = new Map<IsoDate, string | typeof CONTESTED>()

  /** `new`; `same` for the same value again; else why the row cannot count, and the earlier one with it. */
  note(series: string, start: IsoDate, value: string): 'new' | 'same' | Contradiction {
    const day = dayNumber(start)
    const range = this.#ranges.get(series)
    if (series !== this.#series) {
      const ended = range !== undefined && day >= firstOf(range) && day <= lastOf(range)
      if (ended) {
        const wrong = 'the period is there already, or the rows of the series are not in order'
        return { wrong, isFirst: true }
      }
      this.#series = series
      this.#values.clear()
    }
    const earlier = this.#values.get(start)
    if (earlier === CONTESTED)
      return { wrong: 'the period is there already, with other values', isFirst: false }
    if (earlier === value) return 'same'
    if (earlier !== undefined) {
      this.#values.set(start, CONTESTED)
      return { wrong: `the period is there already, with the value ${earlier}`, isFirst: true }
    }
    this.#values.set(start, value)
    if (range === undefined && this.#ranges.size >= MAX_SERIES) {
      throw new BrokenBody(`the body has more than ${MAX_SERIES} series`)
    }
    this.#ranges.set(series, range === undefined ? rangeOf(day, day) : widened(range, day))
    return 'new'
  }
}

function rangeOf(first: number, last: number): number {
  return first * RANGE_BASE + last
}

function dayNumber(date: IsoDate): number {
  const months = Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7))
  return months * MAX_DAYS + Number(date.slice(8, 10))
}

function widened(range: number, day: number): number {
  return rangeOf(Math.min(firstOf(range), day), Math.max(lastOf(range), day))
}

function firstOf(range: number): number {
  return Math.floor(range / RANGE_BASE)
}

function lastOf(range: number): number {
  return range % RANGE_BASE
}
