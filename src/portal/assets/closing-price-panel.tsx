import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { type ApiQuery, restGet } from '../client/use-query.js'
import { Chart } from '../parts/chart.js'
import { Choice } from '../parts/choice.js'
import { daysAgo } from '../parts/days-ago.js'
import { formatDay, formatFigure } from '../parts/format.js'
import { FRESHNESS, FreshnessLine, type FreshnessMeta } from '../parts/freshness.js'
import { QueryPanel } from '../parts/query-panel.js'
import type { ListingKey } from './listing-key.js'

/** The API returns at most this many days at once, which is more than three years have. */
const MAX_DAYS = 1_000

const RANGES = [
  ['365', '1 year'],
  ['1095', '3 years'],
] as const
type Range = (typeof RANGES)[number][0]

interface Prices {
  readonly data: readonly {
    readonly date: string
    readonly close: number
    readonly adjusted_close: number
    readonly currency: string
  }[]
  readonly _meta: FreshnessMeta
}

export interface ClosingPricePanelProps {
  readonly assetClass: 'stock' | 'etf'
  readonly listing: ListingKey
}

/** Closing prices of a listing as traded, and adjusted for what its holders received. */
export function ClosingPricePanel({ assetClass, listing }: ClosingPricePanelProps): JSX.Element {
  const [range, setRange] = useState<Range>('365')
  const { ticker, mic } = listing
  const query = useMemo(
    () => buildQuery(assetClass, { ticker, mic }, daysAgo(Number(range))),
    [assetClass, ticker, mic, range],
  )
  return (
    <QueryPanel<{ readonly prices: Prices }>
      title="Closing prices"
      isWide
      query={query}
      controls={<Choice label="Range of prices" options={RANGES} value={range} onChange={setRange} />}
    >
      {({ prices }) => <PriceChart prices={prices} />}
    </QueryPanel>
  )
}

function buildQuery(assetClass: 'stock' | 'etf', listing: ListingKey, from: string): ApiQuery {
  const { ticker, mic } = listing
  const path = assetClass === 'stock' ? 'stocks' : 'etf'
  return {
    document: `query ClosingPrices($ticker: String!, $mic: String, $from: Date!) {
  prices: ${assetClass}_prices(ticker: $ticker, mic: $mic, from: $from, adjust: all, limit: ${MAX_DAYS}) {
    data { date close adjusted_close currency }
    ${FRESHNESS}
  }
}`,
    variables: { ticker, mic, from },
    rest: [restGet(`/v1/${path}/${ticker}/prices`, { mic, from, adjust: 'all', limit: MAX_DAYS })],
  }
}

function PriceChart({ prices: { data, _meta } }: { readonly prices: Prices }): JSX.Element {
  const times = useMemo(() => data.map(({ date }) => Date.parse(date) / 1000), [data])
  const last = data.at(-1)
  const lines = useMemo(
    () => [
      { label: `${last?.currency} as traded`, values: data.map(({ close }) => close) },
      {
        label: `${last?.currency} adjusted`,
        values: data.map(({ adjusted_close }) => adjusted_close),
        isDashed: true,
      },
    ],
    [data, last],
  )
  if (last === undefined) return <p class="quiet">No prices in this range.</p>
  return (
    <>
      <p class="quiet">
        Adjusted prices take later splits, spin-offs and dividends into account, so that returns between two
        days can be compared.
      </p>
      <Chart
        times={times}
        lines={lines}
        name="Closing price"
        summary={`Closing prices of ${data.length} days; ${formatFigure(last.close)} ${last.currency} on ${formatDay(last.date)}`}
      />
      <FreshnessLine meta={_meta} />
    </>
  )
}
