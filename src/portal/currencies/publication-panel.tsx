import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { restGet, useQuery } from '../client/use-query.js'
import { ApiCalls } from '../parts/api-calls.js'
import { daysAgo } from '../parts/days-ago.js'
import { FRESHNESS, FreshnessLine, type FreshnessMeta } from '../parts/freshness.js'
import { LoadedView, Panel } from '../parts/panel.js'
import { addMonths, formatMonth, listDays } from './month.js'
import { MonthTable, type PublishedRate } from './month-table.js'

/** The dollar is part of every publication. */
const RATES = `query PublicationDays($from: Date!, $to: Date!) {
  forex(quote: "USD", from: $from, to: $to) {
    data { date rate }
    ${FRESHNESS}
  }
  calendar(code: "TARGET", from: $from, to: $to) { sessions { date } }
}`

/** The month of the first reference rates. */
const FIRST_MONTH = '1999-01'

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/

interface Answer {
  readonly forex: { readonly data: readonly PublishedRate[]; readonly _meta: FreshnessMeta }
  readonly calendar: { readonly sessions: readonly { readonly date: string }[] }
}

/** The days of a month on which reference rates were published. */
export function PublicationPanel(): JSX.Element {
  const present = daysAgo(0).slice(0, 7)
  const [month, setMonth] = useState(present)
  return (
    <Panel title="Publication days" isWide>
      <div class="row">
        <button
          type="button"
          class="plain"
          disabled={month <= FIRST_MONTH}
          onClick={() => setMonth(addMonths(month, -1))}
        >
          Previous month
        </button>
        <span class="unseen" role="status">
          {formatMonth(month)}
        </span>
        <button
          type="button"
          class="plain"
          disabled={month >= present}
          onClick={() => setMonth(addMonths(month, 1))}
        >
          Next month
        </button>
        <label>
          Month
          <input
            inputMode="numeric"
            placeholder="YYYY-MM"
            pattern="\d{4}-\d{2}"
            maxLength={7}
            value={month}
            onInput={({ currentTarget: { value } }) => {
              if (MONTH.test(value) && value >= FIRST_MONTH && value <= present) setMonth(value)
            }}
          />
        </label>
      </div>
      <Month key={month} month={month} />
    </Panel>
  )
}

function Month({ month }: { readonly month: string }): JSX.Element {
  const days = listDays(month)
  const variables = { from: days[0] ?? '', to: days.at(-1) ?? '' }
  const query = {
    document: RATES,
    variables,
    rest: [restGet('/v1/forex', { quote: 'USD', ...variables }), restGet('/v1/calendars/TARGET', variables)],
  }
  const { loaded, reload } = useQuery<Answer>(query)
  return (
    <>
      <LoadedView loaded={loaded} reload={reload}>
        {({ forex: { data, _meta }, calendar }) => (
          <>
            <MonthTable
              month={month}
              rates={data}
              openDays={calendar.sessions.map(({ date }) => date)}
              today={daysAgo(0)}
            />
            <FreshnessLine meta={_meta} />
          </>
        )}
      </LoadedView>
      <ApiCalls query={query} />
    </>
  )
}
