import type { IsoDate } from '../../../core/time.js'
import type { MacroObservation, MacroSeries } from '../../../domains/macro/model.js'
import { BrokenBody, type ParseContext, type Parsed } from '../../feed.js'
import type { BokObservation } from './read-row.js'

/** The rows of one period. */
interface FoundPeriod {
  readonly value: BokObservation['value']
  readonly positions: string[]
  /** Rows of the period have other values. */
  isContested: boolean
}

interface Found {
  readonly series: MacroSeries
  readonly periods: Map<IsoDate, FoundPeriod>
  /** All of it is there: it was asked for whole, and every row of every window could be read. */
  isWhole: boolean
}

/** Every window of one question; null where rows come from a file. */
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
  /** A row could not be read. */
  miss(): void
  /** No row follows; `total`: rows in all windows, as the body says. */
  end(total: number | null): void
}

/** Several times as many as the largest answers have. */
const MAX_ROWS = 2_000_000

/** The rows of all windows by their series, each period once. */
export class FoundSeries {
  #rows = 0
  readonly #found = new Map<string, Found>()
  readonly #answered = new Map<string, Answered>()
  readonly #onAbsent: ParseContext['onAbsent']

  constructor(onAbsent: ParseContext['onAbsent']) {
    this.#onAbsent = onAbsent
  }

  /** The next window of a question; null: of a file, which never holds a series for sure whole. */
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

  /** Everything that was taken, a series after the other. */
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
      // Where rows contradict each other the table lacks a dimension, and rows of one value are of several things too.
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
