import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { Change, changeSince } from '../parts/change.js'
import { Chart } from '../parts/charts/chart.js'
import { Choice } from '../parts/choice.js'
import { formatPrice, formatQuantity, toMonth } from '../parts/format.js'
import { FreshnessLine } from '../parts/freshness.js'
import { QueryPanel } from '../parts/query-panel.js'
import { SortableTable, type TableColumn } from '../parts/tables/sortable-table.js'
import {
  buildPriceQuery,
  type ChartedAsset,
  type ChartRange,
  FIRST_RANGE,
  listRanges,
  type PriceAnswer,
  type PriceSeries,
  toPriceSeries,
} from './price-series.js'

/** The monthly prices of a commodity as a chart and a table. */
export function MonthlyPricesPanel({ asset }: { readonly asset: ChartedAsset }): JSX.Element {
  const [range, setRange] = useState<ChartRange>(FIRST_RANGE.commodity)
  return (
    <QueryPanel<PriceAnswer>
      title="Monthly price"
      isWide
      query={buildPriceQuery(asset, range)}
      controls={<Choice label="Range" options={listRanges('commodity')} value={range} onChange={setRange} />}
    >
      {(answer) => <Months name={asset.name} series={toPriceSeries(answer)} />}
    </QueryPanel>
  )
}

interface MonthsProps {
  readonly name: string
  readonly series: PriceSeries
}

function Months({ name, series }: MonthsProps): JSX.Element {
  const { times, prices, unit, meta } = series
  const lines = useMemo(() => [{ label: unit, values: prices }], [unit, prices])
  const rows = useMemo(() => listMonths(series), [series])
  if (rows.length === 0) return <p class="quiet">No prices in this range.</p>
  return (
    <>
      <p>Each price is the average of a month, in {unit}.</p>
      <Chart
        times={times}
        lines={lines}
        name="Monthly price"
        formatTime={toMonth}
        summary={`Price of ${name} in ${formatQuantity(rows.length, 'month')}`}
      />
      <SortableTable
        label="Prices by month"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ month }) => month}
        pageSize={12}
      />
      {meta !== null && <FreshnessLine meta={meta} />}
    </>
  )
}

interface PricedMonth {
  readonly month: string
  readonly price: number | null
  readonly monthChange: number | null
  readonly yearChange: number | null
}

/** Newest first. */
function listMonths({ times, prices }: PriceSeries): readonly PricedMonth[] {
  const byMonth = new Map(times.map((time, at) => [toMonth(time), prices[at] ?? null]))
  return times
    .map((time, at) => {
      const price = prices[at] ?? null
      const before = (months: number) => changeSince(byMonth.get(monthsBefore(time, months)), price)
      return { month: toMonth(time), price, monthChange: before(1), yearChange: before(12) }
    })
    .reverse()
}

function monthsBefore(seconds: number, months: number): string {
  const start = new Date(seconds * 1000)
  return toMonth(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - months) / 1000)
}

const COLUMNS: readonly TableColumn<PricedMonth>[] = [
  { name: 'Month', cell: ({ month }) => month, sortKey: ({ month }) => month },
  { name: 'Price', isNumber: true, cell: ({ price }) => formatPrice(price), sortKey: ({ price }) => price },
  {
    name: '1 month',
    isNumber: true,
    cell: ({ monthChange }) => <Change fraction={monthChange} />,
    sortKey: ({ monthChange }) => monthChange,
  },
  {
    name: '1 year',
    isNumber: true,
    cell: ({ yearChange }) => <Change fraction={yearChange} />,
    sortKey: ({ yearChange }) => yearChange,
  },
]
