import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { formatDay, formatFigure, formatQuantity } from '../format.js'
import { PointSlider } from '../point-slider.js'
import { CANDLE_LINES } from './draw-candles.js'
import { buildPlotOptions, type ChartKind, type ChartSize } from './plot-options.js'

export interface Line {
  /** Name of the values, with their unit; of counts, the noun in the singular. */
  readonly label: string
  readonly isCount?: boolean
  readonly values: readonly (number | null)[]
  /** A line that may lie on top of another one. */
  readonly isDashed?: boolean
}

export interface ChartProps {
  /** Seconds since 1970, ascending; 0, 1, 2 … with `names`. */
  readonly times: readonly number[]
  /** Names of the points of an axis that is not of time. */
  readonly names?: readonly string[]
  /** At most six. */
  readonly lines: readonly Line[]
  /** Names the control that chooses a point. */
  readonly name?: string
  /** A screen reader announces this text. */
  readonly summary: string
  readonly kind?: ChartKind
  /** `large` for the main chart of a page, `low` for one below it. */
  readonly size?: ChartSize
  readonly formatTime?: (seconds: number) => string
}

/**
 * Draws series over time, as wide as its container, in the colours of the page. The pointer or the arrow keys choose the point
 * whose values are shown. Dragging shows a part of the time.
 */
export function Chart(props: ChartProps): JSX.Element {
  const { times, lines, summary, name = 'Chart', kind = 'line', size = 'normal' } = props
  const { names = null, formatTime = names === null ? formatSeconds : (at) => names[at] ?? '' } = props
  const container = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot | null>(null)
  const [chosen, setChosen] = useState<number | null>(null)
  const [isPart, setIsPart] = useState(false)
  const scheme = useColourScheme()
  // The plot copies the page's colours, so a changed colour scheme draws it again. Before the next input: a point that is
  // chosen in the new lines must not be reset with the old plot.
  useLayoutEffect(() => {
    const element = container.current
    if (element === null) return
    const options = buildPlotOptions(element, lines, {
      kind,
      size,
      names,
      onPoint: setChosen,
      onRange: setIsPart,
    })
    const plot = new uPlot(options, [[...times], ...lines.map(({ values }) => [...values])], element)
    drawn.current = plot
    const observer = new ResizeObserver(() => {
      // The observer also calls once at the beginning. A new size resets the point.
      if (element.clientWidth !== plot.width)
        plot.setSize({ width: element.clientWidth, height: options.height })
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
      setChosen(null)
      setIsPart(false)
    }
  }, [times, lines, names, kind, size, scheme])
  const last = times.length - 1
  const at = Math.min(chosen ?? lastValueAt(lines) ?? last, last)
  const firstCandleLine = kind === 'candles' ? lines.length - CANDLE_LINES : lines.length
  const values = lines.map(({ label, values, isCount }) =>
    isCount ? formatQuantity(values[at] ?? 0, label) : `${formatFigure(values[at] ?? null)} ${label}`,
  )
  const time = formatTime(times[at] ?? 0)
  const choose = (next: number) => {
    const plot = drawn.current
    plot?.setCursor({ left: plot.valToPos(times[next] ?? 0, 'x'), top: 0 }, false)
    setChosen(next)
  }
  const showWhole = () => drawn.current?.setScale('x', { min: times[0] ?? 0, max: times[last] ?? 0 })
  return (
    <>
      <p class="readout">
        <time>{time}</time>
        {values.map((text, line) => (
          <span key={lines[line]?.label} class={line < firstCandleLine ? `line-${line}` : undefined}>
            {text}
          </span>
        ))}
      </p>
      <div class={`plot ${size}`}>
        <div ref={container} class="chart" role="img" aria-label={summary} />
        <PointSlider
          label={`${name}: choose a point`}
          at={at}
          count={times.length}
          text={`${time}: ${values.join(', ')}`}
          onChoose={choose}
        />
        {isPart && (
          <button type="button" class="plain small whole" onClick={showWhole}>
            Show the whole range
          </button>
        )}
      </div>
    </>
  )
}

/** The newest point with a value; null without one. A window that is not over has none. */
function lastValueAt(lines: readonly Line[]): number | null {
  const at = Math.max(...lines.map(({ values }) => values.findLastIndex((value) => value !== null)))
  return at < 0 ? null : at
}

function formatSeconds(seconds: number): string {
  return formatDay(new Date(seconds * 1000).toISOString())
}

function useColourScheme(): boolean {
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches)
  useEffect(() => {
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const update = () => setDark(scheme.matches)
    scheme.addEventListener('change', update)
    return () => scheme.removeEventListener('change', update)
  }, [])
  return isDark
}
