import type { JSX } from 'preact'
import { formatDay, formatPercent } from '../../parts/format.js'
import { type Holding, type HoldingIdentity, toHoldingKey } from './holding.js'

/** The heaviest holdings of an earlier report. */
export interface EarlierReport {
  readonly data: readonly (HoldingIdentity & Pick<Holding, 'weight' | 'report_date'>)[]
  readonly meta: { readonly total: number }
}

export interface ReportComparison {
  /** Day of the earlier report. */
  readonly asOf: string
  /** Earlier weights by the key of the holding. A key that one of the reports has twice is absent. */
  readonly weights: ReadonlyMap<string, number>
  /** Holdings of the earlier report that the newest page lacks; empty unless the earlier report was read whole. */
  readonly gone: EarlierReport['data']
}

/** Null if the earlier report is empty. */
export function compareReports(
  holdings: readonly Holding[],
  { data, meta }: EarlierReport,
): ReportComparison | null {
  const [first] = data
  if (first === undefined) return null
  const present = holdings.map(toHoldingKey)
  const earlier = data.map(toHoldingKey)
  const isUnique = (key: string) =>
    [present, earlier].every((keys) => keys.indexOf(key) === keys.lastIndexOf(key))
  const weights = data.map((holding) => [toHoldingKey(holding), holding.weight] as const)
  const isWhole = data.length === meta.total
  return {
    asOf: first.report_date,
    weights: new Map(weights.filter(([key]) => isUnique(key))),
    gone: isWhole ? data.filter((holding) => !present.includes(toHoldingKey(holding))) : [],
  }
}

/** The holdings that only the earlier report has. */
export function NoLongerHeld({ comparison }: { readonly comparison: ReportComparison }): JSX.Element | null {
  const { asOf, gone } = comparison
  if (gone.length === 0) return null
  const names = gone.map(({ name, weight }) => `${name} (${formatPercent(weight)})`)
  return (
    <p>
      Held on {formatDay(asOf)} and no longer: {names.join(', ')}.
    </p>
  )
}
