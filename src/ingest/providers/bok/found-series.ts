import type { IsoDate } from '../../../core/time.js'
import type { MacroObservation, MacroSeries } from '../../../domains/macro/model.js'
import { BrokenBody, type ParseContext, type Parsed } from '../../feed.js'
import type { BokObservation } from './read-row.js'

/** The rows of one period. */
interface FoundPeriod {
  readonly value: BokObservation['value']
  readonly positions: string[]
  /** Whether rows of the period have other values. */
  isContested: boolean
}

interface Found {
  readonly series: MacroSeries
  readonly periods: Map<IsoDate, FoundPeriod>
  /**
   * Whether the series is complete: its full history was requested, and every row of every window could be read.
   */
  isWhole: boolean
}

/** The name of a request with all its windows; null for rows from a file. */
interface Answered {
  rows: number
  readonly totals: Set<number | null>
  readonly series: Set<Found>
  isGood: boolean
}

/** A window that is being read. */
interface Window {
  /** Keeps the row with its series. */
  take(observation: BokObservation, position: string): void
  /** Notes that a row could not be read. */
  miss(): void
  /** Ends the window; `total`: rows in all windows, as the body states. */
  end(total: number | null): void
}

/** Several times the rows of the largest answers. */
const MAX_ROWS = 2_000_000

/** Collects the rows of all windows by series, each period once. */
export class FoundSeries {
  #rows = 0
  readonly #found = new Map<string, Found>()
  readonly #answered = new Map<string, Answered>()
  readonly #onAbsent: ParseContext['onAbsent']

  constructor(onAbsent: ParseContext['onAbsent']) {
    this.#onAbsent = onAbsent
  }

  /** Begins the next window of a request; null for a file, which never proves that a series is complete. */
  window(question: string | null): Window {
    const name = question ?? ''
    const answered = this.#answered.get(name) ?? newAnswered(question !== null)
    this.#answered.set(name, answered)
    return {
      take: (observation, position) => this.#take(observation, position, answered),
      miss: () => {
        answered.isGood = false
      },
      end: (total) => void answered.totals.add(total),
    }
  }

  #take({ series, start, value }: BokObservation, position: string, answered: Answered): void {
    this.#rows += 1
    if (this.#rows > MAX_ROWS) throw new BrokenBody(`the answers have more than ${MAX_ROWS} rows`)
    const key = `${series.dataset} ${series.seriesKey}`
    answered.rows += 1
    const found = this.#found.get(key) ?? { series, periods: new Map(), isWhole: true }
    this.#found.set(key, found)
    answered.series.add(found)
    const period = found.periods.get(start) ?? { value, positions: [], isContested: false }
    found.periods.set(start, period)
    period.positions.push(position)
    if (period.value !== value) period.isContested = true
  }

  /** Yields everything collected, series by series. */
  *rows(): Generator<Parsed<MacroObservation>> {
    for (const [question, { rows, totals, series, isGood }] of this.#answered) {
      const isWhole = isGood && totals.size === 1 && totals.has(rows)
      const due = Math.max(...[...totals].map((total) => total ?? 0))
      if (question !== '' && isGood && rows < due) {
        yield { kind: 'rejected', position: question, reason: `${rows} rows came, but ${due} were announced` }
      }
      if (!isWhole) for (const found of series) found.isWhole = false
    }
    for (const { series, periods, isWhole } of this.#found.values()) {
      // Contradictory rows show that the table lacks a dimension, so equal rows may be about different things too.
      const isAmbiguous = [...periods.values()].some(({ isContested }) => isContested)
      const isOfWholeSeries = isWhole && !isAmbiguous
      for (const [periodStart, { value, positions }] of periods) {
        if (isAmbiguous && positions.length > 1) yield* refusedRows(positions)
        else {
          this.#onAbsent(positions.length - 1)
          yield { kind: 'row', row: { series, periodStart, value, isOfWholeSeries } }
        }
      }
    }
  }
}

function* refusedRows(positions: readonly string[]): Generator<Parsed<never>> {
  const reason = `${positions.length} rows are of this series and period, and the series has rows with other values: a dimension is missing, so none is used`
  for (const position of positions) yield { kind: 'rejected', position, reason }
}

function newAnswered(isGood: boolean): Answered {
  return { rows: 0, totals: new Set(), series: new Set(), isGood }
}
