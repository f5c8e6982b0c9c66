import type { Line } from '../parts/charts/chart.js'
import { toIndex } from '../parts/to-index.js'
import type { Observation } from './series-query.js'

export interface MergedLines {
  /** Seconds since 1970: the periods of all lines. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  /** Names the period of a time. */
  readonly formatTime: (seconds: number) => string
}

export interface LabelledObservations extends Omit<Line, 'values'> {
  readonly observations: readonly Observation[]
}

/** Series of the same frequency as lines over one time axis. */
export function mergeLines(series: readonly LabelledObservations[]): MergedLines {
  const periods = new Map(
    series.flatMap(({ observations }) =>
      observations.map(({ seconds, period }) => [seconds, period] as const),
    ),
  )
  const times = [...periods.keys()].sort((a, b) => a - b)
  const lines = series.map(({ observations, ...line }) => {
    const values = new Map(observations.map(({ seconds, value }) => [seconds, value]))
    return { ...line, values: times.map((seconds) => values.get(seconds) ?? null) }
  })
  return { times, lines, formatTime: (seconds) => periods.get(seconds) ?? '' }
}

/** Sets each line to 100 where all of them first have a value; null where that value is not positive. */
export function indexLines({ times, lines, formatTime }: MergedLines): MergedLines | null {
  const at = times.findIndex((_, position) =>
    lines.every(({ values }) => (values[position] ?? null) !== null),
  )
  const bases = lines.map(({ values }) => values[at] ?? 0)
  if (bases.some((base) => base <= 0)) return null
  const indexed = lines.map(({ label, values }, line) => ({
    label,
    values: values.map((value) => (value === null ? null : toIndex(value, bases[line] ?? 1))),
  }))
  return { times, lines: indexed, formatTime }
}
