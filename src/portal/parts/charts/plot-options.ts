import uPlot from 'uplot'
import { CANDLE_LINES, drawCandles } from './draw-candles.js'

/** Pixels by size; the style sheet reserves the same. */
const HEIGHTS = { low: 120, normal: 240, large: 340 } as const

export type ChartSize = keyof typeof HEIGHTS

/** Lines, bars from 0, or lines of which the last four are drawn as candles. */
export type ChartKind = 'line' | 'bars' | 'candles'

interface PlotSettings {
  readonly kind: ChartKind
  readonly size: ChartSize
  /** Names of the positions 0, 1, 2 … of an axis that is not of time; null for times. */
  readonly names: readonly string[] | null
  /** Receives the position of the point below the pointer. */
  readonly onPoint: (position: number | null) => void
  /** Receives whether the plot shows a part of the time. */
  readonly onRange: (isPart: boolean) => void
}

const DAY_SECONDS = 86_400
const YEAR_SECONDS = 31_557_600
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const monthOfYear = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })
const timeOfDay = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' })
const year = new Intl.DateTimeFormat('en-GB', { year: 'numeric', timeZone: 'UTC' })

/** The options of a plot in the colours of the page. */
export function buildPlotOptions(
  element: HTMLElement,
  lines: readonly { readonly label: string; readonly isDashed?: boolean }[],
  { kind, size, names, onPoint, onRange }: PlotSettings,
): uPlot.Options {
  const colour = (name: string) => readColour(element, name)
  const axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
    font: `12px ${getComputedStyle(element).fontFamily}`,
  }
  const bars = kind === 'bars' ? uPlot.paths.bars?.({ size: [0.7, 24] }) : undefined
  const firstCandleLine = kind === 'candles' ? lines.length - CANDLE_LINES : lines.length
  const candleColours = { up: colour('--up'), down: colour('--down') }
  const fill = lines.length === 1 ? { fill: colour(bars === undefined ? '--accent-soft' : '--line-0') } : {}
  return {
    width: element.clientWidth,
    height: HEIGHTS[size],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    // The text above the chart names the values.
    legend: { show: false },
    cursor: { drag: { x: true, y: false, dist: LEAST_DRAG } },
    hooks: {
      setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)],
      setScale: [(plot, scale) => scale === 'x' && onRange(isPartOfTime(plot))],
      ...(kind === 'candles' ? { drawAxes: [(plot: uPlot) => drawCandles(plot, candleColours)] } : {}),
    },
    scales: names === null ? SCALES[kind] : NAME_SCALES,
    axes: [
      names === null
        ? { ...axis, space: LABEL_SPACE, values: (_plot, splits) => formatTimes(splits) }
        : {
            ...axis,
            space: NAME_SPACE,
            incrs: NAME_STEPS,
            values: (_plot, splits) => splits.map((at) => names[at] ?? ''),
          },
      {
        ...axis,
        size: (_plot, labels) => toAxisWidth(labels),
        values: (_plot, splits) => splits.map(formatTick),
        ...(kind === 'bars' ? { incrs: WHOLE_STEPS } : {}),
      },
    ],
    series: [
      {},
      ...lines.map(({ label, isDashed }, line) => ({
        label,
        stroke: colour(`--line-${line}`),
        width: 2,
        points: { show: false },
        ...fill,
        ...(isDashed ? { dash: [6, 4] } : {}),
        ...(bars === undefined ? {} : { paths: bars }),
        ...(line < firstCandleLine ? {} : { paths: () => null }),
      })),
    ],
  }
}

/** A pointer that moves by fewer pixels clicks and does not drag. */
const LEAST_DRAG = 8

function isPartOfTime({ data: [times], scales: { x } }: uPlot): boolean {
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined) return false
  return (x?.min ?? first) > first || (x?.max ?? last) < last
}

/** A colour of the page in the present scheme. A canvas does not know `light-dark()`, so the browser computes the colour. */
function readColour(element: HTMLElement, name: string): string {
  const { color } = element.style
  element.style.color = `var(${name})`
  const computed = getComputedStyle(element).color
  element.style.color = color
  return computed
}

/** The first and the last candle are drawn whole. */
const CANDLE_SCALES: uPlot.Scales = {
  x: {
    range: ({ data: [times] }, least, most) => {
      const half = (most - least) / Math.max(1, times.length - 1) / 2
      return [least - half, most + half]
    },
  },
}

/** The same for bars, which begin at 0. */
const BAR_SCALES: uPlot.Scales = {
  ...CANDLE_SCALES,
  y: { range: (_plot, _least, most) => [0, Math.max(1, most)] },
}

const SCALES: Readonly<Record<ChartKind, uPlot.Scales>> = {
  line: {},
  bars: BAR_SCALES,
  candles: CANDLE_SCALES,
}

const NAME_SCALES: uPlot.Scales = { x: { time: false } }

/** Steps of an axis of counts, ascending. */
const WHOLE_STEPS = Array.from({ length: 15 }, (_, exponent) => 10 ** exponent).flatMap((power) => [
  power,
  2 * power,
  5 * power,
])

/** `1,250` and `1.2m`: a long number would not fit beside the axis. */
function formatTick(value: number): string {
  if (Math.abs(value) < 1_000_000) return value.toLocaleString('en-GB')
  return value.toLocaleString('en-GB', { notation: 'compact', maximumSignificantDigits: 4 })
}

/** As wide as the longest label; null before the labels are known. */
function toAxisWidth(labels: readonly string[] | null): number {
  const longest = Math.max(0, ...(labels ?? []).map((label) => label.length))
  return AXIS_GAP + CHARACTER_WIDTH * longest
}

/** Pixels between a label and the chart, and of a character at 12 px. */
const AXIS_GAP = 22
const CHARACTER_WIDTH = 7

/** A label of a month needs this many pixels. */
const LABEL_SPACE = 72

/** The same for a name of a few characters, of which each, or every second, third or further one, is shown. */
const NAME_SPACE = 36
const NAME_STEPS = [1, 2, 3, 5, 10, 20, 50, 100]

/** An axis that covers less than this has several labels in a year. */
const MANY_YEARS_SECONDS = 6 * YEAR_SECONDS

/**
 * Labels of the time axis: days if the axis covers less than a year, months if it covers a few years, else years. A label within a
 * day is the time of day.
 */
function formatTimes(splits: readonly number[]): string[] {
  const range = (splits.at(-1) ?? 0) - (splits[0] ?? 0)
  const format = range < YEAR_SECONDS ? dayOfYear : range < MANY_YEARS_SECONDS ? monthOfYear : year
  return splits.map((seconds) => (seconds % DAY_SECONDS === 0 ? format : timeOfDay).format(seconds * 1000))
}
