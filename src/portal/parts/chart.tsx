import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'

const HEIGHT = 240

const YEAR_SECONDS = 31_557_600
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const year = new Intl.DateTimeFormat('en-GB', { year: 'numeric', timeZone: 'UTC' })

export interface ChartProps {
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[]
  readonly values: readonly (number | null)[]
  /** Name of the values, with their unit. */
  readonly label: string
  /** A screen reader announces this text. */
  readonly summary: string
  readonly kind?: 'line' | 'bars'
}

/** Draws a series over time, as wide as its container, in the colours of the page. */
export function Chart({ times, values, label, summary, kind = 'line' }: ChartProps): JSX.Element {
  const container = useRef<HTMLDivElement>(null)
  const scheme = useColourScheme()
  // The plot copies the page's colours, so a changed colour scheme draws it again.
  useEffect(() => {
    const element = container.current
    if (element === null) return
    const plot = new uPlot(buildOptions(element, label, kind), [[...times], [...values]], element)
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [times, values, label, kind, scheme])
  return <div ref={container} class="chart" role="img" aria-label={summary} />
}

function buildOptions(element: HTMLElement, label: string, kind: 'line' | 'bars'): uPlot.Options {
  const style = getComputedStyle(element)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
    font: '12px system-ui, sans-serif',
  }
  const bars = kind === 'bars' ? uPlot.paths.bars?.({ size: [0.7, 24] }) : undefined
  return {
    width: element.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    // The chart has one series, so it needs no legend.
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    scales: kind === 'bars' ? { y: { range: (_plot, _least, most) => [0, Math.max(1, most)] } } : {},
    axes: [
      { ...axis, values: (_plot, splits) => formatTimes(splits) },
      {
        ...axis,
        size: 64,
        values: (_plot, splits) => splits.map((value) => value.toLocaleString('en-GB')),
        ...(kind === 'bars' ? { incrs: [1, 2, 5, 10, 20, 50, 100, 1_000, 10_000, 100_000] } : {}),
      },
    ],
    series: [
      {},
      {
        label,
        stroke: colour('--accent'),
        width: 2,
        fill: colour('--accent-soft'),
        points: { show: false },
        ...(bars === undefined ? {} : { paths: bars }),
      },
    ],
  }
}

/** Labels of the time axis: days if the axis covers less than a year, else years. */
function formatTimes(splits: readonly number[]): string[] {
  const range = (splits.at(-1) ?? 0) - (splits[0] ?? 0)
  const format = range < YEAR_SECONDS ? dayOfYear : year
  return splits.map((seconds) => format.format(seconds * 1000))
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
