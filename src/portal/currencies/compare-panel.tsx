import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { config } from '../config.js'
import { useParameter } from '../location.js'
import { AddChoice } from '../parts/add-choice.js'
import { Chart } from '../parts/charts/chart.js'
import { Choice } from '../parts/choice.js'
import { formatQuantity } from '../parts/format.js'
import { QueryPanel } from '../parts/query-panel.js'
import { type CrossRatesAnswer, crossRatesQuery, toRateLines } from './cross-rates.js'
import { CurrencySelect } from './currency-select.js'

/** As many lines as the chart has colours. */
const MAX_COMPARED = 6

const RANGES = [
  ['30', '30 days'],
  ['365', '1 year'],
  ['1826', '5 years'],
] as const
type Range = (typeof RANGES)[number][0]

/** The value of up to six currencies in a base currency, each set to 100 on the first day. */
export function ComparePanel(): JSX.Element {
  const [base, setBase] = useParameter('base', 'EUR')
  const [list, setList] = useParameter('compare', 'USD,GBP,JPY,CHF')
  const [range, setRange] = useState<Range>('365')
  const quotes = useMemo(() => list.split(',').filter((code) => code !== ''), [list])
  const query = useMemo(() => crossRatesQuery(base, quotes, Number(range)), [base, quotes, range])
  const others = config.currencies.filter(({ code }) => code !== base && !quotes.includes(code))
  return (
    <QueryPanel<CrossRatesAnswer>
      title="Compare"
      isWide
      query={query}
      controls={
        <>
          <div class="row">
            <CurrencySelect label="Against" value={base} onChange={setBase} />
            <AddChoice
              label="Another currency"
              options={others.map(({ code, name }) => [code, `${code}: ${name}`])}
              isDisabled={quotes.length >= MAX_COMPARED}
              onAdd={(code) => setList([...quotes, code].join(','))}
            />
          </div>
          <p class="actions">
            {quotes.map((quote) => (
              <button
                type="button"
                class="plain small"
                key={quote}
                disabled={quotes.length === 1}
                onClick={() => setList(quotes.filter((other) => other !== quote).join(','))}
              >
                Remove {quote}
              </button>
            ))}
          </p>
          <Choice label="Range of the comparison" options={RANGES} value={range} onChange={setRange} />
        </>
      }
    >
      {({ forex_cross }) => <Comparison rates={forex_cross.data.rates} base={base} quotes={quotes} />}
    </QueryPanel>
  )
}

interface ComparisonProps {
  readonly rates: CrossRatesAnswer['forex_cross']['data']['rates']
  readonly base: string
  readonly quotes: readonly string[]
}

function Comparison({ rates, base, quotes }: ComparisonProps): JSX.Element {
  const { times, lines } = useMemo(() => {
    // A rate says how much of the currency one unit of the base buys; its inverse is what the currency is worth.
    const values = rates.map((rate) => ({ ...rate, rate: 1 / rate.rate }))
    return toRateLines(values, quotes, (quote) => quote, true)
  }, [rates, quotes])
  if (times.length === 0) return <p class="quiet">No rates in this range.</p>
  return (
    <>
      <p class="quiet">Value of each currency in {base}; the first day is 100.</p>
      <Chart
        times={times}
        lines={lines}
        name="Comparison"
        summary={`Value of ${quotes.join(', ')} in ${base} over ${formatQuantity(times.length, 'day')} of publication, first day 100`}
      />
    </>
  )
}
