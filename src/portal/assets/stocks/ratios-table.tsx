import type { JSX } from 'preact'
import { formatCompact, formatPercent } from '../../parts/format.js'
import { DataTable } from '../../parts/panel.js'

/** The members of `Ratios` in a query. */
export const RATIOS = `below_thresholds debt_to_market_cap cash_to_market_cap interest_income_to_revenue
        thresholds { debt_to_market_cap cash_to_market_cap interest_income_to_revenue }
        inputs { ratio figure value unit period form }
        reasons { ratio reason }`

type RatioName = (typeof ROWS)[number][0]

interface RatioInput {
  readonly ratio: string
  readonly figure: string
  readonly value: number | null
  readonly unit: string
  readonly period: string | null
  readonly form: string | null
}

/** The AAOIFI ratios of a company as the API returns them. */
export type Ratios = Readonly<Record<RatioName, number | null>> & {
  readonly below_thresholds: boolean | null
  readonly thresholds: Readonly<Record<RatioName, number>>
  readonly inputs: readonly RatioInput[]
  readonly reasons: readonly { readonly ratio: string; readonly reason: string }[]
}

const ROWS = [
  ['debt_to_market_cap', 'Debt to market value'],
  ['cash_to_market_cap', 'Cash to market value'],
  ['interest_income_to_revenue', 'Interest income to revenue'],
] as const

/** Names of figures that differ from those of the API. */
const FIGURES: Readonly<Record<string, string>> = {
  market_cap_avg_24m_usd: 'average market value of 24 months',
  public_float_usd: 'public float',
}

/** Each ratio with its bound and the filed figures behind it. */
export function RatiosTable({ ratios }: { readonly ratios: Ratios }): JSX.Element {
  return (
    <DataTable
      label="AAOIFI ratios"
      caption={`AAOIFI ratios: ${toSummary(ratios.below_thresholds)}. They are a measurement, not a ruling.`}
      columns={['Ratio', { number: 'Value' }, { number: 'Bound' }, 'Computed from']}
      isStacked
    >
      {ROWS.map(([ratio, name]) => (
        <tr key={ratio}>
          <th scope="row">{name}</th>
          <td class="number" data-name="Value">
            {formatPercent(ratios[ratio])}
          </td>
          <td class="number" data-name="Bound">
            below {formatPercent(ratios.thresholds[ratio], 0)}
          </td>
          <td data-name="Computed from">
            <ul class="plain-list">
              {ratios.inputs
                .filter((input) => input.ratio === ratio)
                .map((input) => (
                  <li key={input.figure}>{formatInput(input)}</li>
                ))}
              {ratios.reasons
                .filter((missing) => missing.ratio === ratio)
                .map(({ reason }) => (
                  <li key={reason}>{reason}</li>
                ))}
            </ul>
          </td>
        </tr>
      ))}
    </DataTable>
  )
}

function toSummary(isBelow: boolean | null): string {
  if (isBelow === null) return 'a ratio is missing'
  return isBelow ? 'all are below their bounds' : 'at least one is not below its bound'
}

/** `total debt: 42.96bn USD (2025-12-31, 10-K)`. */
function formatInput({ figure, value, unit, period, form }: RatioInput): string {
  const name = FIGURES[figure] ?? figure.replace(/_usd$/, '').replaceAll('_', ' ')
  const source = [period, form].filter((part) => part !== null).join(', ')
  return `${name}: ${value === null ? 'missing' : `${formatCompact(value)} ${unit}`}${source === '' ? '' : ` (${source})`}`
}
