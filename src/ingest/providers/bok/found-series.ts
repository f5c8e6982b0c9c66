import type { MacroObservation, MacroSeries } from '../../../domains/macro/model.js'
import { SeenPeriods } from '../../bodies/seen-periods.js'
import type { Parsed } from '../../feed.js'
import type { BokObservation } from './read-row.js'

interface Found {
  readonly series: MacroSeries
  readonly observations: Pick<BokObservation, 'start' | 'value'>[]
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
  /** Keeps the row with its series; says why it cannot count. */
  take(observation: BokObservation): string | null
  /** A row could not be read. */
  miss(): void
  /** No row follows; `total`: rows in all windows, as the body says. */
  end(total: number | null): void
}

/** The rows of all windows by their series, each period once. */
export class FoundSeries {
  readonly #seen = new SeenPeriods()
  readonly #found = new Map<string, Found>()
  readonly #answered = new Map<string, Answered>()

  /** The next window of a question; null: of a file, which never holds a series for sure whole. */
  window(question: string | null): Window {
    const name = question ?? ''
    const answered = this.#answered.get(name) ?? newAnswered(question !== null)
    this.#answered.set(name, answered)
    return {
      take: (observation) => this.#take(observation, answered),
      miss: () => {
        answered.isGood = false
      },
      end: (total) => void answered.totals.add(total),
    }
  }

  #take({ series, start, value }: BokObservation, answered: Answered): string | null {
    const key = `${series.dataset} ${series.seriesKey}`
    const noted = this.#seen.note(key, start, value ?? 'none')
    answered.rows += 1
    if (noted === 'same') return null
    if (noted !== 'new') return noted.wrong
    const found = this.#found.get(key) ?? { series, observations: [], isWhole: true }
    this.#found.set(key, found)
    found.observations.push({ start, value })
    answered.series.add(found)
    return null
  }

  /** Everything that was taken, a series after the other. */
  *rows(): Generator<Parsed<MacroObservation>> {
    for (const [question, { rows, totals, series, isGood }] of this.#answered) {
      const isWhole = isGood && totals.size === 1 && totals.has(rows)
      const due = Math.max(...[...totals].map((total) => total ?? 0))
      if (question !== '' && isGood && rows < due) {
        yield { kind: 'rejected', position: question, reason: `${rows} rows came where ${due} are due` }
      }
      if (!isWhole) for (const found of series) found.isWhole = false
    }
    for (const { series, observations, isWhole } of this.#found.values()) {
      for (const { start: periodStart, value } of observations) {
        yield { kind: 'row', row: { series, periodStart, value, isOfWholeSeries: isWhole } }
      }
    }
  }
}

function newAnswered(isGood: boolean): Answered {
  return { rows: 0, totals: new Set(), series: new Set(), isGood }
}
