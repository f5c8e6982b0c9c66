import type { JSX } from 'preact'
import { restGet } from '../../client/use-query.js'
import { formatDay, formatFigure } from '../../parts/format.js'
import { QueryPanel } from '../../parts/query-panel.js'
import type { ListingKey } from './listing-key.js'

const ACTIONS = `query CorporateActions($ticker: String!, $mic: String) {
  corporate_actions(ticker: $ticker, mic: $mic, limit: 20) {
    data { action_type ex_date ratio former_ticker description }
  }
}`

interface Action {
  readonly action_type: string
  readonly ex_date: string
  readonly ratio: number | null
  readonly former_ticker: string | null
  readonly description: string | null
}

/** Splits, mergers and changes of the ticker. */
export function ActionsPanel({ listing: { ticker, mic } }: { readonly listing: ListingKey }): JSX.Element {
  return (
    <QueryPanel<{ readonly corporate_actions: { readonly data: readonly Action[] } }>
      title="Corporate actions"
      isWide
      query={{
        document: ACTIONS,
        variables: { ticker, mic },
        rest: [restGet(`/v1/stocks/${ticker}/corporate-actions`, { mic, limit: 20 })],
      }}
    >
      {({ corporate_actions: { data } }) =>
        data.length === 0 ? (
          <p class="quiet">No corporate actions are stored for this stock.</p>
        ) : (
          <ul class="entries">
            {data.map(({ action_type, ex_date, ratio, former_ticker, description }) => (
              <li key={`${ex_date} ${action_type}`}>
                {formatDay(ex_date)}: {action_type.replaceAll('_', ' ')}
                {ratio !== null && <>, {formatFigure(ratio)} for 1</>}
                {former_ticker !== null && <>, formerly {former_ticker}</>}
                {description !== null && <p>{description}</p>}
              </li>
            ))}
          </ul>
        )
      }
    </QueryPanel>
  )
}
