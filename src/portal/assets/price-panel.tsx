import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { type ApiQuery, restGet } from '../client/use-query.js'
import { Chart } from '../parts/charts/chart.js'
import { Choice } from '../parts/choice.js'
import { daysAgo } from '../parts/days-ago.js'
import { formatDay, formatFigure } from '../parts/format.js'
import { FRESHNESS, FreshnessLine, type FreshnessMeta } from '../parts/freshness.js'
import { QueryPanel } from '../parts/query-panel.js'

const CANDLES = `query Candles($slug: String!, $from: DateTime!, $limit: Int!) {
  ohlcv(id: $slug, timeframe: D1, from: $from, limit: $limit) {
    data { candles { ts vwap_usd volume_usd exchanges_count } }
    ${FRESHNESS}
  }
}`

/** The API returns at most this many candles at once. */
const MAX_CANDLES = 1_000

const RANGES = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['364', '1 year'],
  ['all', 'All'],
] as const
type Range = (typeof RANGES)[number][0]

interface Candle {
  readonly ts: string
  readonly vwap_usd: number | null
  readonly volume_usd: number | null
  readonly exchanges_count: number
}

interface Candles {
  readonly ohlcv: { readonly data: { readonly candles: readonly Candle[] }; readonly _meta: FreshnessMeta }
}

export interface PricePanelProps {
  readonly slug: string
  readonly name: string
}

/** Daily consensus prices and volumes over a range that the visitor chooses. */
export function PricePanel({ slug, name }: PricePanelProps): JSX.Element {
  const [range, setRange] = useState<Range>('30')
  const query = useMemo(() => buildQuery(slug, range), [slug, range])
  return (
    <QueryPanel<Candles>
      title="Daily price and volume"
      query={query}
      isWide
      controls={<Choice label="Range" options={RANGES} value={range} onChange={setRange} />}
    >
      {({ ohlcv }) => <Charts name={name} candles={ohlcv.data.candles} meta={ohlcv._meta} />}
    </QueryPanel>
  )
}

function buildQuery(slug: string, range: Range): ApiQuery {
  const from = range === 'all' ? '2010-01-01T00:00:00Z' : `${daysAgo(Number(range))}T00:00:00Z`
  const variables = { from, limit: MAX_CANDLES }
  return {
    document: CANDLES,
    variables: { slug, ...variables },
    rest: [restGet(`/v1/assets/${slug}/ohlcv`, { timeframe: '1d', ...variables })],
  }
}

interface ChartsProps {
  readonly name: string
  readonly candles: readonly Candle[]
  readonly meta: FreshnessMeta
}

function Charts({ name, candles, meta }: ChartsProps): JSX.Element {
  const times = useMemo(() => candles.map(({ ts }) => Date.parse(ts) / 1000), [candles])
  const prices = useMemo(() => [{ label: 'USD', values: candles.map(({ vwap_usd }) => vwap_usd) }], [candles])
  const volumes = useMemo(
    () => [{ label: 'USD traded', values: candles.map(({ volume_usd }) => volume_usd) }],
    [candles],
  )
  const last = candles.at(-1)
  if (last === undefined) return <p class="quiet">No prices in this range.</p>
  const newest = `${formatFigure(last.vwap_usd)} USD on ${formatDay(last.ts)}`
  return (
    <>
      <Chart
        times={times}
        lines={prices}
        name="Price"
        summary={`Volume-weighted price of ${name} over ${candles.length} days; ${newest}`}
      />
      <h3>Volume</h3>
      <Chart
        kind="bars"
        times={times}
        lines={volumes}
        name="Volume"
        summary={`Volume of ${name} per day over ${candles.length} days`}
      />
      {candles.length === MAX_CANDLES && (
        <p class="quiet">These are the newest {formatFigure(MAX_CANDLES)} days.</p>
      )}
      <FreshnessLine meta={meta} />
    </>
  )
}
