import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { restGet } from '../client/use-query.js'
import { Change } from '../parts/change.js'
import { Chart } from '../parts/charts/chart.js'
import { Choice } from '../parts/choice.js'
import { daysAgo } from '../parts/days-ago.js'
import { formatDay, formatInstant, formatPrice, formatQuantity } from '../parts/format.js'
import { FRESHNESS, FreshnessLine, type FreshnessMeta } from '../parts/freshness.js'
import { QueryPanel } from '../parts/query-panel.js'
import { SortableTable, type TableColumn } from '../parts/tables/sortable-table.js'
import { toSeconds } from '../parts/to-seconds.js'

/** The API returns at most this many candles at once; the longest range has 744 hours. */
const MAX_CANDLES = 1_000

const HOURLY_AND_DAILY = `query HourlyAndDaily($slug: String!, $from: DateTime!) {
  hourly: ohlcv(id: $slug, timeframe: H1, from: $from, limit: ${MAX_CANDLES}) {
    data { candles { ts vwap_usd } }
    ${FRESHNESS}
  }
  daily: ohlcv(id: $slug, timeframe: D1, from: $from) { data { candles { ts vwap_usd } } }
}`

const RANGES = [
  ['2', '2 days'],
  ['7', '7 days'],
  ['30', '30 days'],
] as const
type Range = (typeof RANGES)[number][0]

interface Candle {
  readonly ts: string
  readonly vwap_usd: number | null
}

interface Answer {
  readonly hourly: { readonly data: { readonly candles: readonly Candle[] }; readonly _meta: FreshnessMeta }
  readonly daily: { readonly data: { readonly candles: readonly Candle[] } }
}

export interface HourlyPanelProps {
  readonly slug: string
  readonly name: string
}

/** The hourly price beside the daily one. */
export function HourlyPanel({ slug, name }: HourlyPanelProps): JSX.Element {
  const [range, setRange] = useState<Range>('7')
  const from = `${daysAgo(Number(range))}T00:00:00Z`
  return (
    <QueryPanel<Answer>
      title="Hourly price beside the daily one"
      isWide
      query={{
        document: HOURLY_AND_DAILY,
        variables: { slug, from },
        rest: [
          restGet(`/v1/assets/${slug}/ohlcv`, { timeframe: '1h', from, limit: MAX_CANDLES }),
          restGet(`/v1/assets/${slug}/ohlcv`, { timeframe: '1d', from }),
        ],
      }}
      controls={<Choice label="Range of hours" options={RANGES} value={range} onChange={setRange} />}
    >
      {({ hourly, daily }) => (
        <HourlyChart name={name} hours={hourly.data.candles} days={daily.data.candles} meta={hourly._meta} />
      )}
    </QueryPanel>
  )
}

interface HourlyChartProps {
  readonly name: string
  readonly hours: readonly Candle[]
  readonly days: readonly Candle[]
  readonly meta: FreshnessMeta
}

function HourlyChart({ name, hours, days, meta }: HourlyChartProps): JSX.Element {
  const times = useMemo(() => hours.map(({ ts }) => toSeconds(ts)), [hours])
  const lines = useMemo(() => {
    const daily = new Map(days.map(({ ts, vwap_usd }) => [toDay(ts), vwap_usd]))
    return [
      { label: 'USD in the hour', values: hours.map(({ vwap_usd }) => vwap_usd) },
      {
        label: 'USD in the whole day',
        values: hours.map(({ ts }) => daily.get(toDay(ts)) ?? null),
        isDashed: true,
      },
    ]
  }, [hours, days])
  const rows = useMemo(() => listDays(hours, days), [hours, days])
  if (hours.length === 0) return <p class="quiet">No hourly prices in this range.</p>
  return (
    <>
      <p>
        Both prices are averages weighted by volume: the hourly price of one hour, the daily price of the
        whole day. Hours with more volume count more in the daily price, so it differs from the last hour of
        its day.
      </p>
      <Chart
        times={times}
        lines={lines}
        name="Hourly price"
        formatTime={(seconds) => formatInstant(new Date(seconds * 1000).toISOString())}
        summary={`Hourly price of ${name} over ${formatQuantity(hours.length, 'hour')}, with the daily price of ${formatQuantity(days.length, 'day')}`}
      />
      <SortableTable
        label="Hourly and daily prices by day"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ day }) => day}
        pageSize={7}
      />
      <FreshnessLine meta={meta} />
    </>
  )
}

/** The hourly prices of one day beside its daily price. */
interface PricedDay {
  readonly day: string
  readonly daily: number | null
  readonly least: number | null
  readonly most: number | null
  readonly last: number | null
}

/** The finished days, newest first. */
function listDays(hours: readonly Candle[], days: readonly Candle[]): readonly PricedDay[] {
  const byDay = new Map<string, number[]>()
  for (const { ts, vwap_usd } of hours) {
    const prices = byDay.get(toDay(ts)) ?? []
    if (vwap_usd !== null) prices.push(vwap_usd)
    byDay.set(toDay(ts), prices)
  }
  const priced = days.map(({ ts, vwap_usd }) => {
    const day = toDay(ts)
    const prices = byDay.get(day) ?? []
    const isEmpty = prices.length === 0
    return {
      day,
      daily: vwap_usd,
      least: isEmpty ? null : Math.min(...prices),
      most: isEmpty ? null : Math.max(...prices),
      last: prices.at(-1) ?? null,
    }
  })
  return priced.reverse()
}

/** The daily price against the last hour, as a fraction. */
function toDifference({ daily, last }: PricedDay): number | null {
  return daily === null || last === null ? null : daily / last - 1
}

const priceColumn = (name: string, priceOf: (day: PricedDay) => number | null): TableColumn<PricedDay> => ({
  name,
  isNumber: true,
  cell: (day) => formatPrice(priceOf(day)),
  sortKey: priceOf,
})

const COLUMNS: readonly TableColumn<PricedDay>[] = [
  { name: 'Day', cell: ({ day }) => formatDay(day), sortKey: ({ day }) => day },
  priceColumn('Daily price, USD', ({ daily }) => daily),
  priceColumn('Lowest hour', ({ least }) => least),
  priceColumn('Highest hour', ({ most }) => most),
  priceColumn('Last hour', ({ last }) => last),
  {
    name: 'Daily against last hour',
    isNumber: true,
    cell: (day) => <Change fraction={toDifference(day)} />,
    sortKey: toDifference,
  },
]

function toDay(ts: string): string {
  return ts.slice(0, 10)
}
