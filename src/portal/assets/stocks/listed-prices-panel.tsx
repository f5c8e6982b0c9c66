import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { type ApiQuery, restGet } from '../../client/use-query.js'
import { Chart } from '../../parts/charts/chart.js'
import { Choice } from '../../parts/choice.js'
import { daysAgo } from '../../parts/days-ago.js'
import { formatDay, formatFigure, formatQuantity } from '../../parts/format.js'
import { FRESHNESS, FreshnessLine, type FreshnessMeta } from '../../parts/freshness.js'
import { QueryPanel } from '../../parts/query-panel.js'
import { SortableTable, type TableColumn } from '../../parts/tables/sortable-table.js'
import type { ListingKey } from './listing-key.js'

/** The API returns at most this many days at once; three years have about 760 trading days. */
const MAX_DAYS = 1_000

/** The first row lists every action in the range, so the other rows need not repeat them. */
const buildDocument = (field: 'stock_prices' | 'etf_prices') => `query ListedPrices(
  $ticker: String!, $mic: String, $from: Date!, $adjust: PriceAdjustment!
) {
  prices: ${field}(ticker: $ticker, mic: $mic, from: $from, adjust: $adjust, limit: ${MAX_DAYS}) {
    data { date close adjusted_close volume currency }
    ${FRESHNESS}
  }
  first: ${field}(ticker: $ticker, mic: $mic, from: $from, adjust: $adjust, limit: 1) {
    data { actions { action_type ex_date ratio amount currency factor not_adjusted_reason } }
  }
}`

const DOCUMENTS = {
  stock: buildDocument('stock_prices'),
  etf: buildDocument('etf_prices'),
} as const

const RANGES = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['1096', '3 years'],
] as const
type Range = (typeof RANGES)[number][0]

const ADJUSTMENTS = [
  ['none', 'As traded'],
  ['splits', 'Adjusted for splits'],
  ['all', 'Adjusted for splits and dividends'],
] as const
type Adjustment = (typeof ADJUSTMENTS)[number][0]

interface Price {
  readonly date: string
  readonly close: number
  readonly adjusted_close: number | null
  readonly volume: number | null
  readonly currency: string
}

interface Action {
  readonly action_type: string
  readonly ex_date: string
  readonly ratio: number | null
  readonly amount: number | null
  readonly currency: string | null
  readonly factor: number | null
  readonly not_adjusted_reason: string | null
}

interface Answer {
  readonly prices: { readonly data: readonly Price[]; readonly _meta: FreshnessMeta }
  readonly first: { readonly data: readonly { readonly actions: readonly Action[] }[] }
}

export interface ListedPricesPanelProps {
  readonly listing: ListingKey
  readonly name: string
  readonly assetClass: 'stock' | 'etf'
}

/** Daily closes of a stock or an ETF, as traded or adjusted, and the actions behind the adjustment. */
export function ListedPricesPanel({ listing, name, assetClass }: ListedPricesPanelProps): JSX.Element {
  const [range, setRange] = useState<Range>('90')
  const [adjustment, setAdjustment] = useState<Adjustment>('none')
  return (
    <QueryPanel<Answer>
      title="Daily price"
      isWide
      query={buildQuery(listing, assetClass, range, adjustment)}
      controls={
        <>
          <Choice label="Range" options={RANGES} value={range} onChange={setRange} />
          <Choice label="Adjustment" options={ADJUSTMENTS} value={adjustment} onChange={setAdjustment} />
        </>
      }
    >
      {({ prices, first }) => (
        <Prices
          name={name}
          prices={prices.data}
          actions={first.data[0]?.actions ?? []}
          meta={prices._meta}
          isAdjusted={adjustment !== 'none'}
        />
      )}
    </QueryPanel>
  )
}

function buildQuery(
  { ticker, mic }: ListingKey,
  assetClass: 'stock' | 'etf',
  range: Range,
  adjust: Adjustment,
): ApiQuery {
  const from = daysAgo(Number(range))
  const path = assetClass === 'stock' ? `/v1/stocks/${ticker}/prices` : `/v1/etf/${ticker}/prices`
  return {
    document: DOCUMENTS[assetClass],
    variables: { ticker, mic, from, adjust },
    rest: [restGet(path, { mic, from, adjust, limit: MAX_DAYS })],
  }
}

interface PricesProps {
  readonly name: string
  readonly prices: readonly Price[]
  readonly actions: readonly Action[]
  readonly meta: FreshnessMeta
  readonly isAdjusted: boolean
}

function Prices({ name, prices, actions, meta, isAdjusted }: PricesProps): JSX.Element {
  const times = useMemo(() => prices.map(({ date }) => Date.parse(date) / 1000), [prices])
  const last = prices.at(-1)
  const currency = last?.currency ?? ''
  const lines = useMemo(
    () => [
      {
        label: isAdjusted ? `${currency} adjusted` : currency,
        values: prices.map(({ close, adjusted_close }) => adjusted_close ?? close),
      },
    ],
    [prices, currency, isAdjusted],
  )
  const volumes = useMemo(
    () => [{ label: 'shares traded', values: prices.map(({ volume }) => volume) }],
    [prices],
  )
  if (last === undefined) return <p class="quiet">No prices in this range.</p>
  const newest = `${formatFigure(last.close)} ${currency} on ${formatDay(last.date)}`
  return (
    <>
      <p class="headline">
        <strong>{formatFigure(last.close)}</strong> {currency}{' '}
        <span class="quiet">close of {formatDay(last.date)}</span>
      </p>
      <Chart
        times={times}
        lines={lines}
        name="Daily price"
        summary={`${isAdjusted ? 'Adjusted close' : 'Close'} of ${name} on ${formatQuantity(prices.length, 'day')}; ${newest}`}
      />
      {prices.some(({ volume }) => volume !== null) && (
        <>
          <h3>Volume</h3>
          <Chart
            kind="bars"
            times={times}
            lines={volumes}
            name="Volume"
            summary={`Volume of ${name} on ${formatQuantity(prices.length, 'day')}`}
          />
        </>
      )}
      {isAdjusted && <Actions actions={actions} />}
      <FreshnessLine meta={meta} />
    </>
  )
}

function Actions({ actions }: { readonly actions: readonly Action[] }): JSX.Element {
  if (actions.length === 0) return <p class="quiet">No split or dividend moved the price in this range.</p>
  return (
    <SortableTable
      label="Actions behind the adjusted prices"
      columns={COLUMNS}
      rows={actions}
      keyOf={({ ex_date, action_type, amount }) => `${ex_date} ${action_type} ${amount}`}
      pageSize={8}
    />
  )
}

const COLUMNS: readonly TableColumn<Action>[] = [
  { name: 'Ex-date', cell: ({ ex_date }) => formatDay(ex_date), sortKey: ({ ex_date }) => ex_date },
  { name: 'Action', cell: ({ action_type }) => action_type.replaceAll('_', ' ') },
  {
    name: 'Ratio or amount',
    isNumber: true,
    cell: ({ ratio, amount, currency }) =>
      amount === null ? formatFigure(ratio) : `${formatFigure(amount)} ${currency ?? ''}`,
  },
  {
    name: 'Factor',
    isNumber: true,
    cell: ({ factor, not_adjusted_reason }) => not_adjusted_reason ?? formatFigure(factor),
    sortKey: ({ factor }) => factor,
  },
]
