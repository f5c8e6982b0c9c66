import type { JSX } from 'preact'

const WIDTH = 96
const HEIGHT = 24
/** Half of the line's width. */
const MARGIN = 1

export interface SparklineProps {
  /** In the order of time; gaps are null. */
  readonly values: readonly (number | null)[]
  /** A screen reader announces this text. */
  readonly label: string
}

/** A small line without axes, in the colour of its direction; empty for less than two values. */
export function Sparkline({ values, label }: SparklineProps): JSX.Element | null {
  const known = values.flatMap((value, at) => (value === null ? [] : [{ value, at }]))
  const [first, last] = [known[0]?.value, known.at(-1)?.value]
  if (first === undefined || last === undefined || known.length < 2) return null
  const least = Math.min(...known.map(({ value }) => value))
  const range = Math.max(...known.map(({ value }) => value)) - least || 1
  const points = known.map(({ value, at }) => {
    const x = MARGIN + (at / (values.length - 1)) * (WIDTH - 2 * MARGIN)
    const y = HEIGHT - MARGIN - ((value - least) / range) * (HEIGHT - 2 * MARGIN)
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  return (
    <svg
      class={last < first ? 'sparkline down' : 'sparkline up'}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
    >
      <polyline points={points.join(' ')} />
    </svg>
  )
}
