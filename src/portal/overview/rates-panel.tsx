import type { JSX } from 'preact'
import { useGet } from '../client/use-request.js'
import { Change, changeSince } from '../parts/change.js'
import { daysAgo } from '../parts/days-ago.js'
import { formatDay, formatFigure } from '../parts/format.js'
import { BriefPanel } from './brief-panel.js'
import { FigureTable } from './figure-table.js'

const QUOTES = ['USD', 'GBP', 'JPY', 'CHF'] as const
/** Holidays leave at least two days with rates. */
const DAYS = 12

interface RatesAnswer {
  readonly data: {
    readonly rates: readonly { readonly date: string; readonly quote: string; readonly rate: number }[]
  }
}

/** The newest euro reference rates, and their changes since the publication before. */
export function RatesPanel(): JSX.Element {
  const state = useGet<RatesAnswer>(
    `/v1/forex/cross?base=EUR&quote=${QUOTES.join(',')}&from=${daysAgo(DAYS)}`,
  )
  return (
    <BriefPanel title="Euro rates" path="/currencies" state={state} className="rates">
      {({ data: { rates } }) => (
        <>
          <FigureTable
            label="Euro rates"
            rows={QUOTES.map((quote) => {
              const [before, last] = rates.filter((one) => one.quote === quote).slice(-2)
              return {
                key: quote,
                name: <a href={`/currencies?to=${quote}`}>EUR/{quote}</a>,
                value: formatFigure(last?.rate ?? null, 5),
                note: <Change fraction={changeSince(before?.rate, last?.rate)} />,
              }
            })}
          />
          {rates.length > 0 && (
            <p class="quiet small">Reference rates of {formatDay(rates.at(-1)?.date ?? '')}</p>
          )}
        </>
      )}
    </BriefPanel>
  )
}
