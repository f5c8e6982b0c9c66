import type { IsoDate } from '../../core/time.js'
import { BrokenBody } from '../feed.js'

/** Several times the series of the largest dataflow. Each takes about a hundred bytes. */
const MAX_SERIES = 1_000_000

/** A range of days is stored as one number, so a day must stay below this. */
const RANGE_BASE = 2 ** 20

/** Replaces a value after a contradiction. */
const CONTESTED = Symbol('contested')

/** Why a row does not count. */
interface Contradiction {
  readonly wrong: string
  /** Whether the earlier row of the period must be undone; false if that has already happened. */
  readonly isFirst: boolean
}

/** More than the days of any month, so that numbers of days rise with time. */
const MAX_DAYS = 31

/**
 * Finds periods that a body repeats. Memory grows with the series, not with the rows: it holds all values of the
 * current series, and the first and last period of every other.
 */
export class SeenPeriods {
  readonly #ranges = new Map<string, number>()
  #series = ''
  readonly #values = new Map<IsoDate, string | typeof CONTESTED>()

  /** Returns `new`, `same` for an equal value, or the reason why this row and the earlier one do not count. */
  note(series: string, start: IsoDate, value: string): 'new' | 'same' | Contradiction {
    const day = dayNumber(start)
    const range = this.#ranges.get(series)
    if (series !== this.#series) {
      const ended = range !== undefined && day >= firstOf(range) && day <= lastOf(range)
      if (ended) {
        const wrong = 'the period is repeated, or the rows of the series are not in order'
        return { wrong, isFirst: true }
      }
      this.#series = series
      this.#values.clear()
    }
    const earlier = this.#values.get(start)
    if (earlier === CONTESTED)
      return { wrong: 'the period is repeated with different values', isFirst: false }
    if (earlier === value) return 'same'
    if (earlier !== undefined) {
      this.#values.set(start, CONTESTED)
      return { wrong: `the period is repeated with another value; the first was ${earlier}`, isFirst: true }
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
