import { startOfQuarter } from '../../../core/period.js'
import { type IsoDate, type Period, parsePeriod } from '../../../core/time.js'
import type { MacroObservation } from '../../../domains/macro/model.js'
import { SeenPeriods } from '../../bodies/seen-periods.js'
import { type ParseContext, type Parsed, quoted } from '../../feed.js'
import type { BisFlow } from './flows.js'
import { Quarters } from './quarters.js'
import { readValue } from './read-value.js'
import type { BodySeries } from './series-facts.js'

/** One observation as the body has it. */
export interface ObservationCell {
  readonly position: string
  readonly period: string
  readonly text: string
  /** OBS_STATUS; '' where the body has none. */
  readonly status: string
}

/** Turns the cells of one body into observations, each at most once. */
export class Observations {
  readonly #seen = new SeenPeriods()
  /** Every series has the same periods; no more than there are days from 1900 to 2200. */
  readonly #periods = new Map<string, Period>()
  readonly #quarters: Quarters
  readonly #isOfWholeSeries: boolean
  readonly #today: string

  constructor({ dataset }: BisFlow, isOfWholeSeries: boolean, { now }: ParseContext) {
    this.#quarters = new Quarters(dataset.quarterOf ?? 'mean')
    this.#isOfWholeSeries = isOfWholeSeries
    this.#today = now.toISOString().slice(0, 10)
  }

  hasSeries({ key }: BodySeries): boolean {
    return this.#seen.has(key)
  }

  /** The observation of a cell, or of the quarter that it completes; null where there is none yet. */
  read(
    series: BodySeries,
    { position, period: text, ...cell }: ObservationCell,
  ): Parsed<MacroObservation> | null {
    const rejected = (reason: string) => ({ kind: 'rejected', position, reason }) as const
    const period = this.#periodOf(text)
    if (period === null) return rejected(`${quoted(text)} is no period of the years 1900 to 2200`)
    if (period.frequency !== series.frequency) {
      return rejected(`${text} is no period of a series that is ${series.frequency}`)
    }
    if (period.start > this.#today) return rejected(`${text} has not begun yet`)
    const read = readValue(cell.text, cell.status, series.exponent)
    if ('wrong' in read) return { ...rejected(read.wrong), ...this.#listed(series, period.start) }
    const noted = this.#seen.note(series.key, period.start, read.value ?? 'none')
    if (noted === 'same') return null
    if (noted !== 'new') return rejected(noted.wrong)
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

  /** The period of a whole series whose value cannot be read, or the quarter that it belongs to. */
  #listed({ stored: series, frequency }: BodySeries, start: IsoDate): { readonly listed?: MacroObservation } {
    if (!this.#isOfWholeSeries) return {}
    const periodStart = frequency === 'monthly' ? startOfQuarter(start) : start
    return { listed: { series, periodStart, value: null, isOfWholeSeries: true, isUnread: true } }
  }
}
