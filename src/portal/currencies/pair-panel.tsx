import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { Chart } from '../parts/charts/chart.js'
import { Choice } from '../parts/choice.js'
import { formatDay, formatQuantity } from '../parts/format.js'
import { FreshnessLine } from '../parts/freshness.js'
import { QueryPanel } from '../parts/query-panel.js'
import type { PairProps } from './converter-panel.js'
import { type CrossRatesAnswer, crossRatesQuery, toRateLines } from './cross-rates.js'

const RANGES = [
  ['30', '30 days'],
  ['365', '1 year'],
  ['1826', '5 years'],
  ['all', 'All'],
] as const
type Range = (typeof RANGES)[number][0]

/** The rate between two currencies over time. */
export function PairPanel({ from, to }: PairProps): JSX.Element {
  const [range, setRange] = useState<Range>('365')
  const query = useMemo(
    () => crossRatesQuery(from, [to], range === 'all' ? null : Number(range)),
    [from, to, range],
  )
  return (
    <QueryPanel<CrossRatesAnswer>
      title={`${to} for 1 ${from}`}
      isWide
      query={query}
      controls={<Choice label="Range of the rate" options={RANGES} value={range} onChange={setRange} />}
    >
      {({ forex_cross }) => <RateChart answer={forex_cross} from={from} to={to} />}
    </QueryPanel>
  )
}

interface RateChartProps extends PairProps {
  readonly answer: CrossRatesAnswer['forex_cross']
}

function RateChart({ answer: { data, _meta }, from, to }: RateChartProps): JSX.Element {
  const { times, lines } = useMemo(
    () => toRateLines(data.rates, [to], (quote) => `${quote} for 1 ${from}`, false),
    [data, from, to],
  )
  const ended = data.currencies.find(({ ended_on }) => ended_on !== null)
  if (times.length === 0) return <p class="quiet">No rates in this range.</p>
  return (
    <>
      <Chart
        times={times}
        lines={lines}
        name="Rate"
        summary={`${to} for 1 ${from} over ${formatQuantity(times.length, 'day')} of publication`}
      />
      {ended?.ended_on != null && (
        <p>
          {ended.currency} has no rates after {formatDay(ended.ended_on)}.
        </p>
      )}
      <FreshnessLine meta={_meta} />
    </>
  )
}
