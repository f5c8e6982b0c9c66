import uPlot from 'uplot'

const HEIGHT = 240

const YEAR_SECONDS = 31_557_600
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const monthOfYear = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })
const year = new Intl.DateTimeFormat('en-GB', { year: 'numeric', timeZone: 'UTC' })

/** The options of a plot in the colours of the page. `onPoint` receives the position of the point below the pointer. */
export function buildPlotOptions(
  element: HTMLElement,
  lines: readonly { readonly label: string; readonly isDashed?: boolean }[],
  kind: 'line' | 'bars',
  onPoint: (position: number | null) => void,
): uPlot.Options {
  const style = getComputedStyle(element)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
    font: '12px system-ui, sans-serif',
  }
  const bars = kind === 'bars' ? uPlot.paths.bars?.({ size: [0.7, 24] }) : undefined
  const fill = lines.length === 1 ? { fill: colour('--accent-soft') } : {}
  return {
    width: element.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    // The text above the chart names the values.
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    scales: kind === 'bars' ? BAR_SCALES : {},
    axes: [
      { ...axis, space: LABEL_SPACE, values: (_plot, splits) => formatTimes(splits) },
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
      })),
    ],
  }
}

/** Bars begin at 0, and the first and the last one are drawn whole. */
const BAR_SCALES: uPlot.Scales = {
  x: {
    range: ({ data: [times] }, least, most) => {
      const half = (most - least) / Math.max(1, times.length - 1) / 2
      return [least - half, most + half]
    },
  },
  y: { range: (_plot, _least, most) => [0, Math.max(1, most)] },
}

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

/** An axis that covers less than this has several labels in a year. */
const MANY_YEARS_SECONDS = 6 * YEAR_SECONDS

/** Labels of the time axis: days if the axis covers less than a year, months if it covers a few years, else years. */
function formatTimes(splits: readonly number[]): string[] {
  const range = (splits.at(-1) ?? 0) - (splits[0] ?? 0)
  const format = range < YEAR_SECONDS ? dayOfYear : range < MANY_YEARS_SECONDS ? monthOfYear : year
  return splits.map((seconds) => format.format(seconds * 1000))
}
