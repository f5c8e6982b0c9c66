import type { JSX } from 'preact'
import { daysAgo } from '../parts/days-ago.js'
import { formatDay } from '../parts/format.js'

const DAYS = 90
const CELL = 4
const HEIGHT = 24

const TEXTS = {
  succeeded: 'runs succeeded',
  partly_failed: 'some runs failed',
  failed: 'all runs failed',
} as const

export interface StatusDay {
  readonly date: string
  readonly outcome: 'succeeded' | 'partly_failed' | 'failed'
}

export interface DayBarProps {
  readonly days: readonly StatusDay[]
  /** What the days are of. */
  readonly name: string
}

/** One cell for each of the last 90 days, the oldest first. A day without a record is grey. */
export function DayBar({ days, name }: DayBarProps): JSX.Element {
  const outcomes = new Map(days.map(({ date, outcome }) => [date, outcome]))
  const cells = Array.from({ length: DAYS }, (_, at) => {
    const date = daysAgo(DAYS - 1 - at)
    return { date, outcome: outcomes.get(date) }
  })
  return (
    <svg
      class="day-bar"
      viewBox={`0 0 ${DAYS * CELL} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={describeDays(name, days)}
    >
      {cells.map(({ date, outcome }, at) => (
        <rect key={date} class={outcome ?? 'none'} x={at * CELL} width={CELL - 1} height={HEIGHT}>
          <title>
            {formatDay(date)}: {outcome === undefined ? 'nothing recorded' : TEXTS[outcome]}
          </title>
        </rect>
      ))}
    </svg>
  )
}

function describeDays(name: string, days: readonly StatusDay[]): string {
  const counts = Object.entries(TEXTS).flatMap(([outcome, text]) => {
    const count = days.filter((day) => day.outcome === outcome).length
    return count === 0 ? [] : [`${text} on ${count}`]
  })
  return `${name}, ${DAYS} days: ${[...counts, `nothing recorded on ${DAYS - days.length}`].join(', ')}`
}
