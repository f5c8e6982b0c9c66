import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { restGet } from '../client/use-query.js'
import { Chart } from '../parts/charts/chart.js'
import { Choice } from '../parts/choice.js'
import { daysAgo } from '../parts/days-ago.js'
import { formatDay, formatFigure } from '../parts/format.js'
import { QueryPanel } from '../parts/query-panel.js'
import type { Asset } from './asset.js'

const COMMODITY = `query Commodity($symbol: String!, $from: Date) {
  commodity(symbol: $symbol) {
    data { name unit currency price_usd price_date history(from: $from, limit: 1000) { price_date price_usd } }
  }
}`

const RANGES = [
  ['1830', '5 years'],
  ['3660', '10 years'],
  ['all', 'All'],
] as const
type Range = (typeof RANGES)[number][0]

interface Commodity {
  readonly name: string
  readonly unit: string
  readonly price_usd: number
  readonly price_date: string
  readonly history: readonly { readonly price_date: string; readonly price_usd: number }[]
}

/** The reference price of a commodity over time. */
export function CommodityPanel({ asset: { ticker } }: { readonly asset: Asset }): JSX.Element {
  const [range, setRange] = useState<Range>('1830')
  const query = useMemo(
    () => ({
      document: COMMODITY,
      variables: { symbol: ticker, from: range === 'all' ? null : daysAgo(Number(range)) },
      rest: [restGet(`/v1/commodities/${ticker}`)],
      restNote: 'This route returns the newest price. The history is a field in GraphQL only.',
    }),
    [ticker, range],
  )
  return (
    <QueryPanel<{ readonly commodity: { readonly data: Commodity } }>
      title="Reference price"
      isWide
      query={query}
      controls={<Choice label="Range" options={RANGES} value={range} onChange={setRange} />}
    >
      {({ commodity: { data } }) => <Series commodity={data} />}
    </QueryPanel>
  )
}

function Series({ commodity }: { readonly commodity: Commodity }): JSX.Element {
  const { name, unit, history, price_usd, price_date } = commodity
  const times = useMemo(() => history.map((price) => Date.parse(price.price_date) / 1000), [history])
  const lines = useMemo(
    () => [{ label: `USD per ${unit}`, values: history.map((price) => price.price_usd) }],
    [history, unit],
  )
  if (history.length === 0) return <p class="quiet">No prices in this range.</p>
  return (
    <Chart
      times={times}
      lines={lines}
      name="Price"
      summary={`${name}: ${history.length} prices, the newest ${formatFigure(price_usd)} USD per ${unit} on ${formatDay(price_date)}`}
    />
  )
}
