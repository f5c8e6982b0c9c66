import { formatFigure, formatSignedPercent } from '../parts/format.js'

/** The content of an analysis, as far as its figures go. */
export interface AnalysisContent {
  readonly signals?: readonly Signal[]
}

interface Signal {
  readonly name: string
  readonly unit: string | null
  readonly value: number | string | boolean | null
}

/** These figures come first, because readers look for them. */
const FIRST = ['regime', 'market_cap_usd', 'price_usd', 'change_24h', 'change_7d']

/** A change is described by this many figures. */
const MAX_FIGURES = 3

const NAMES: Readonly<Record<string, string>> = {
  market_cap_usd: 'market value',
  price_usd: 'price',
  change_24h: '24 h change',
  change_7d: '7 d change',
  volume_1d_usd: 'volume of the day',
  return_7d: '7 d return',
  return_30d: '30 d return',
  return_90d: '90 d return',
}

/** The figures that differ between two analyses: `market value −6.9%`, `24 h change +0.5% → −2.8%`. */
export function describeDifference(before: AnalysisContent, after: AnalysisContent): readonly string[] {
  const earlier = new Map((before.signals ?? []).map((signal) => [signal.name, signal.value]))
  return (after.signals ?? [])
    .filter(({ name, value }) => value !== null && earlier.get(name) != null && earlier.get(name) !== value)
    .toSorted((one, other) => positionOf(one) - positionOf(other))
    .slice(0, MAX_FIGURES)
    .map((signal) => describeFigure(signal, earlier.get(signal.name) ?? null))
}

function positionOf({ name }: Signal): number {
  const at = FIRST.indexOf(name)
  return at < 0 ? FIRST.length : at
}

function describeFigure({ name, unit, value }: Signal, earlier: Signal['value']): string {
  const text = NAMES[name] ?? name.replace(/_usd$/, '').replaceAll('_', ' ')
  if (typeof value !== 'number' || typeof earlier !== 'number')
    return `${text} ${toWords(earlier)} → ${toWords(value)}`
  if (unit?.startsWith('fraction'))
    return `${text} ${formatSignedPercent(earlier, 1)} → ${formatSignedPercent(value, 1)}`
  if (unit === 'USD' && earlier !== 0) return `${text} ${formatSignedPercent(value / earlier - 1, 1)}`
  return `${text} ${formatFigure(earlier, 4)} → ${formatFigure(value, 4)}`
}

function toWords(value: Signal['value']): string {
  return String(value).replaceAll('_', ' ')
}
