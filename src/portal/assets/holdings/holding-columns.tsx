import { formatChange, formatCompact, formatDay, formatFigure, formatPercent } from '../../parts/format.js'
import type { TableColumn } from '../../parts/tables/sortable-table.js'
import { type Holding, toHoldingKey } from './holding.js'
import type { ReportComparison } from './report-comparison.js'

/** The columns of the holdings of a report; `comparison` adds the weights of an earlier one. */
export function toHoldingColumns(comparison: ReportComparison | null): readonly TableColumn<Holding>[] {
  return [...NAMES, ...(comparison === null ? [] : toComparedColumns(comparison)), ...FIGURES]
}

const NAMES: readonly TableColumn<Holding>[] = [
  {
    name: 'Holding',
    cell: ({ name, instrument }) =>
      instrument === null ? name : <a href={`/assets/${instrument.slug}`}>{name}</a>,
    sortKey: ({ name }) => name,
  },
  { name: 'Ticker', cell: ({ ticker }) => ticker ?? '–', sortKey: ({ ticker }) => ticker },
  {
    name: 'Weight',
    isNumber: true,
    cell: ({ weight }) => formatPercent(weight),
    sortKey: ({ weight }) => weight,
  },
]

function toComparedColumns({ asOf, weights }: ReportComparison): readonly TableColumn<Holding>[] {
  const before = (holding: Holding) => weights.get(toHoldingKey(holding)) ?? null
  /** Percentage points, to two decimals like the weights. */
  const change = (holding: Holding) => {
    const weight = before(holding)
    return weight === null ? null : Math.round(10_000 * (holding.weight - weight)) / 100
  }
  return [
    {
      name: `On ${formatDay(asOf)}`,
      isNumber: true,
      cell: (holding) => formatPercent(before(holding)),
      sortKey: before,
    },
    {
      name: 'Change, points',
      isNumber: true,
      cell: (holding) => formatChange(change(holding)),
      sortKey: change,
    },
  ]
}

const FIGURES: readonly TableColumn<Holding>[] = [
  {
    name: 'Value, USD',
    isNumber: true,
    cell: ({ market_value_usd }) => formatCompact(market_value_usd),
    sortKey: ({ market_value_usd }) => market_value_usd,
  },
  {
    name: 'Shares',
    isNumber: true,
    cell: ({ shares }) => formatFigure(shares),
    sortKey: ({ shares }) => shares,
  },
  { name: 'Country', cell: ({ country }) => country ?? '–', sortKey: ({ country }) => country },
  { name: 'ISIN', cell: ({ isin }) => isin ?? '–', sortKey: ({ isin }) => isin },
]
