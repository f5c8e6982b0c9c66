import { formatCompact, formatFigure } from '../parts/format.js'

/** What a panel shows of the figures of one day. */
export interface DayFigures {
  readonly title: string
  /** The root field, which takes the slug as `id`. */
  readonly field: string
  /** The last part of the path in REST. */
  readonly path: string
  readonly rows: readonly (readonly [
    name: string,
    member: string,
    format: (value: number | null) => string,
  ])[]
}

const formatRatio = (value: number | null) => formatFigure(value, 4)
const formatCount = (value: number | null) => formatFigure(value)

/** Fees and revenue of the protocol behind an asset. */
export const PROTOCOL_FIGURES: DayFigures = {
  title: 'Fees and revenue',
  field: 'asset_fundamentals',
  path: 'fundamentals',
  rows: [
    ['Fees, 30 days, USD', 'fees_30d_usd', formatCompact],
    ['Fees, annualized, USD', 'fees_annualized', formatCompact],
    ['Revenue, 30 days, USD', 'revenue_30d_usd', formatCompact],
    ['Revenue, annualized, USD', 'revenue_annualized', formatCompact],
    ['Market value to fees', 'ps_ratio', formatRatio],
    ['Market value to revenue', 'pr_ratio', formatRatio],
  ],
}

/** Activity on the chain of an asset. */
export const ONCHAIN_FIGURES: DayFigures = {
  title: 'On-chain activity',
  field: 'onchain_metrics',
  path: 'onchain',
  rows: [
    ['Active addresses', 'active_addresses', formatCount],
    ['Transactions', 'tx_count', formatCount],
    ['Average fee, USD', 'avg_fee_usd', formatRatio],
    ['All fees, USD', 'fees_total_usd', formatCompact],
    ['Realized value, USD', 'realized_cap_usd', formatCompact],
    ['MVRV', 'mvrv_ratio', formatRatio],
    ['NUPL', 'nupl', formatRatio],
    ['SOPR', 'sopr', formatRatio],
  ],
}
