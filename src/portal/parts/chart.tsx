import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'

const HEIGHT = 240

const YEAR_SECONDS = 31_557_600
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const year = new Intl.DateTimeFormat('en-GB', { year: 'numeric', timeZone: 'UTC' })

export interface ChartProps {
  /** Seconds since 1970, rising. */
  readonly times: readonly number[]
  readonly values: readonly (number | null)[]
  /** What the values are, with their unit. */
  readonly label: string
  /** What a screen reader says in place of the picture. */
  readonly summary: string
  readonly kind?: 'line' | 'bars'
}

/** A series over time, as wide as its place, in the colours of the page. */
export function Chart({ times, values, label, summary, kind = 'line' }: ChartProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  const scheme = useColourScheme()
  // Another colour scheme draws it again.
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const plot = new uPlot(optionsOf(element, label, kind), [[...times], [...values]], element)
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [times, values, label, kind, scheme])
  return <div ref={place} class="chart" role="img" aria-label={summary} />
}

function optionsOf(element: HTMLElement, label: string, kind: 'line' | 'bars'): uPlot.Options {
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
    // Nothing to choose from: there is one series.
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    scales: kind === 'bars' ? { y: { range: (_plot, _least, most) => [0, Math.max(1, most)] } } : {},
    axes: [
      { ...axis, values: (_plot, splits) => timeTexts(splits) },
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

/** Days within a year, else years. */
function timeTexts(splits: readonly number[]): string[] {
  const range = (splits.at(-1) ?? 0) - (splits[0] ?? 0)
  const format = range < YEAR_SECONDS ? dayOfYear : year
  return splits.map((seconds) => format.format(seconds * 1000))
}

function useColourScheme(): boolean {
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches)
  useEffect(() => {
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const follow = () => setDark(scheme.matches)
    scheme.addEventListener('change', follow)
    return () => scheme.removeEventListener('change', follow)
  }, [])
  return isDark
}
