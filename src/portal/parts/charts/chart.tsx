import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { formatDay, formatFigure } from '../format.js'
import { buildPlotOptions } from './plot-options.js'

export interface Line {
  /** Name of the values, with their unit. */
  readonly label: string
  readonly values: readonly (number | null)[]
  /** A line that may lie on top of another one. */
  readonly isDashed?: boolean
}

export interface ChartProps {
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[]
  /** At most six. */
  readonly lines: readonly Line[]
  /** Names the slider that chooses a point. */
  readonly name?: string
  /** A screen reader announces this text. */
  readonly summary: string
  readonly kind?: 'line' | 'bars'
  readonly formatTime?: (seconds: number) => string
}

/**
 * Draws series over time, as wide as its container, in the colours of the page. The pointer or the slider below the chart
 * chooses the point whose values are shown.
 */
export function Chart(props: ChartProps): JSX.Element {
  const { times, lines, summary, name = 'Chart', kind = 'line', formatTime = formatSeconds } = props
  const container = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot | null>(null)
  const [chosen, setChosen] = useState<number | null>(null)
  const scheme = useColourScheme()
  // The plot copies the page's colours, so a changed colour scheme draws it again. Before the next input: a point that is
  // chosen in the new lines must not be reset with the old plot.
  useLayoutEffect(() => {
    const element = container.current
    if (element === null) return
    const options = buildPlotOptions(element, lines, kind, setChosen)
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
    }
  }, [times, lines, kind, scheme])
  const last = times.length - 1
  const at = Math.min(chosen ?? last, last)
  const values = lines.map(({ label, values }) => `${formatFigure(values[at] ?? null)} ${label}`)
  const time = formatTime(times[at] ?? 0)
  const choose = (next: number) => {
    const plot = drawn.current
    plot?.setCursor({ left: plot.valToPos(times[next] ?? 0, 'x'), top: 0 }, false)
    setChosen(next)
  }
  return (
    <>
      <p class="readout">
        <time>{time}</time>
        {values.map((text, line) => (
          <span key={lines[line]?.label} class={`line-${line}`}>
            {text}
          </span>
        ))}
      </p>
      <div ref={container} class="chart" role="img" aria-label={summary} />
      <input
        type="range"
        aria-label={`${name}: choose a point`}
        aria-valuetext={`${time}: ${values.join(', ')}`}
        min={0}
        max={last}
        value={at}
        onInput={(event) => choose(event.currentTarget.valueAsNumber)}
      />
    </>
  )
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
