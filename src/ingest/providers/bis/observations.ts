import { startOfQuarter } from '../../../core/period.js'
import { type IsoDate, type Period, parsePeriod } from '../../../core/time.js'
import type { MacroObservation } from '../../../domains/macro/model.js'
import { SeenPeriods } from '../../bodies/seen-periods.js'
import { type ParseContext, type Parsed, quoted } from '../../feed.js'
import type { BisFlow } from './flows.js'
import { Quarters } from './quarters.js'
import { readValue } from './read-value.js'
import type { BodySeries } from './series-facts.js'

/** One observation of the body. */
export interface ObservationCell {
  readonly position: string
  readonly period: string
  readonly text: string
  /** OBS_STATUS; null if the body has no statuses. */
  readonly status: string | null
}

/** Turns the cells of one body into observations, each at most once. Other cells count as absent. */
export class Observations {
  readonly #seen = new SeenPeriods()
  /** The cache of parsed periods: all series share them, and there are fewer than the days from 1900 to 2200. */
  readonly #periods = new Map<string, Period>()
  readonly #quarters: Quarters
  readonly #isOfWholeSeries: boolean
  readonly #today: string
  readonly #onAbsent: ParseContext['onAbsent']

  constructor({ dataset }: BisFlow, isOfWholeSeries: boolean, { now, onAbsent }: ParseContext) {
    this.#onAbsent = onAbsent
    this.#quarters = new Quarters(dataset.quarterOf ?? 'mean')
    this.#isOfWholeSeries = isOfWholeSeries
    this.#today = now.toISOString().slice(0, 10)
  }

  /**
   * The observation of a cell, or of the quarter that it completes. Null if the quarter is incomplete or the series
   * is not served.
   */
  read(series: BodySeries | null, cell: ObservationCell): Parsed<MacroObservation> | null {
    const read = series === null ? null : this.#observe(series, cell)
    if (read === null) this.#onAbsent()
    return read
  }

  #observe(
    series: BodySeries,
    { position, period: text, ...cell }: ObservationCell,
  ): Parsed<MacroObservation> | null {
    const rejected = (reason: string) => ({ kind: 'rejected', position, reason }) as const
    const period = this.#periodOf(text)
    if (period === null) {
      const isEarly = parsePeriod(text.replace(/^1[5-8]\d\d/, '1900')) !== null
      const why = isEarly ? 'years before 1900 are not kept' : 'is not a period of the years 1900 to 2200'
      return rejected(`${quoted(text)}${isEarly ? ': ' : ' '}${why}`)
    }
    if (period.frequency !== series.frequency) {
      return rejected(`${text} is not a period of a series that is ${series.frequency}`)
    }
    if (period.start > this.#today) return rejected(`${text} has not begun yet`)
    const read = readValue(cell.text, cell.status, series.exponent)
    if ('wrong' in read) return { ...rejected(read.wrong), ...this.#listed(series, period.start) }
    const noted = this.#seen.note(series.key, period.start, read.value ?? 'none')
    if (noted === 'same') return null
    if (noted !== 'new') {
      const contradicts = noted.isFirst ? this.#takenBack(series, period.start) : null
      return { ...rejected(noted.wrong), ...(contradicts === null ? {} : { contradicts }) }
    }
    const found = { start: period.start, value: read.value }
    const whole = series.frequency === 'monthly' ? this.#quarters.add(series, found) : found
    if (whole === null) return null
    const { start: periodStart, value } = whole
    return {
      kind: 'row',
      row: { series: series.stored, periodStart, value, isOfWholeSeries: this.#isOfWholeSeries },
    }
  }

  #periodOf(text: string): Period | null {
    const known = this.#periods.get(text)
    if (known !== undefined) return known
    const period = parsePeriod(text)
    if (period !== null) this.#periods.set(text, period)
    return period
  }

  /** The observation that an earlier row gave for a period; null if its quarter was not complete. */
  #takenBack({ key, stored: series, frequency }: BodySeries, start: IsoDate): MacroObservation | null {
    const isMonth = frequency === 'monthly'
    if (isMonth && !this.#quarters.refuse(key, start)) return null
    return {
      series,
      periodStart: isMonth ? startOfQuarter(start) : start,
      value: null,
      isOfWholeSeries: false,
    }
  }

  /** The period of a whole series whose value cannot be read, or its quarter. */
  #listed({ stored: series, frequency }: BodySeries, start: IsoDate): { readonly listed?: MacroObservation } {
    if (!this.#isOfWholeSeries) return {}
    const periodStart = frequency === 'monthly' ? startOfQuarter(start) : start
    return { listed: { series, periodStart, value: null, isOfWholeSeries: true, isUnread: true } }
  }
}
