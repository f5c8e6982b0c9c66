import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { restGet } from '../client/use-query.js'
import { Chart } from '../parts/charts/chart.js'
import { Choice } from '../parts/choice.js'
import { daysAgo } from '../parts/days-ago.js'
import { formatQuantity } from '../parts/format.js'
import { FRESHNESS, FreshnessLine, type FreshnessMeta } from '../parts/freshness.js'
import { QueryPanel } from '../parts/query-panel.js'
import { toSeconds } from '../parts/to-seconds.js'
import { EXCHANGES } from './exchanges.js'

const EXCHANGE_PRICES = `query ExchangePrices($slug: String!, $exchange: Exchange!, $from: DateTime!) {
  exchange_candles(id: $slug, exchange: $exchange, from: $from) {
    data { ts open high low close quote_currency }
    ${FRESHNESS}
  }
  ohlcv(id: $slug, from: $from) { data { candles { ts vwap_usd } } }
}`

const RANGES = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['364', '1 year'],
] as const

interface ExchangeDay {
  readonly ts: string
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly close: number | null
  readonly quote_currency: string | null
}

interface ConsensusDay {
  readonly ts: string
  readonly vwap_usd: number | null
}

interface Answer {
  readonly exchange_candles: { readonly data: readonly ExchangeDay[]; readonly _meta: FreshnessMeta }
  readonly ohlcv: { readonly data: { readonly candles: readonly ConsensusDay[] } }
}

/** The days of a crypto asset on one exchange as candles, beside the consensus. */
export function ExchangePanel({ slug, name }: { readonly slug: string; readonly name: string }): JSX.Element {
  const [exchange, setExchange] = useState<(typeof EXCHANGES)[number][0]>('binance')
  const [range, setRange] = useState<(typeof RANGES)[number][0]>('90')
  const from = `${daysAgo(Number(range))}T00:00:00Z`
  return (
    <QueryPanel<Answer>
      title="Price on one exchange"
      isWide
      query={{
        document: EXCHANGE_PRICES,
        variables: { slug, exchange, from },
        rest: [
          restGet(`/v1/assets/${slug}/exchanges/${exchange}/ohlcv`, { from }),
          restGet(`/v1/assets/${slug}/ohlcv`, { from }),
        ],
      }}
      controls={
        <>
          <Choice label="Exchange" options={EXCHANGES} value={exchange} onChange={setExchange} />
          <Choice label="Range of days" options={RANGES} value={range} onChange={setRange} />
        </>
      }
    >
      {({ exchange_candles, ohlcv }) => (
        <>
          <ExchangeChart name={name} days={exchange_candles.data} consensus={ohlcv.data.candles} />
          <FreshnessLine meta={exchange_candles._meta} />
        </>
      )}
    </QueryPanel>
  )
}

interface ExchangeChartProps {
  readonly name: string
  readonly days: readonly ExchangeDay[]
  readonly consensus: readonly ConsensusDay[]
}

function ExchangeChart({ name, days, consensus }: ExchangeChartProps): JSX.Element {
  const times = useMemo(() => days.map(({ ts }) => toSeconds(ts)), [days])
  const lines = useMemo(() => toLines(days, consensus), [days, consensus])
  const traded = days.filter(({ close }) => close !== null).length
  if (traded === 0) return <p class="quiet">No prices of this exchange in this range.</p>
  return (
    <Chart
      kind="candles"
      size="large"
      times={times}
      lines={lines}
      name="Price on one exchange"
      summary={`Prices of ${name} on one exchange on ${formatQuantity(traded, 'day')}, with the consensus`}
    />
  )
}

/** The consensus, then the prices of a candle. An exchange may be paid in a stablecoin. */
function toLines(days: readonly ExchangeDay[], consensus: readonly ConsensusDay[]) {
  const byTime = new Map(consensus.map(({ ts, vwap_usd }) => [ts, vwap_usd]))
  const currency = days.findLast(({ quote_currency }) => quote_currency !== null)?.quote_currency ?? ''
  const lineOf = (label: string, member: 'open' | 'high' | 'low' | 'close') => ({
    label: `${currency} ${label}`,
    values: days.map((day) => day[member]),
  })
  return [
    { label: 'USD consensus', values: days.map(({ ts }) => byTime.get(ts) ?? null) },
    lineOf('first', 'open'),
    lineOf('highest', 'high'),
    lineOf('lowest', 'low'),
    lineOf('last', 'close'),
  ]
}
