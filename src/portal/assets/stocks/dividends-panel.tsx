import type { JSX } from 'preact'
import { restGet } from '../../client/use-query.js'
import { formatDay, formatFigure } from '../../parts/format.js'
import { QueryPanel } from '../../parts/query-panel.js'
import { SortableTable, type TableColumn } from '../../parts/tables/sortable-table.js'
import type { ListingKey } from './listing-key.js'

const DIVIDENDS = `query Dividends($ticker: String!, $mic: String) {
  dividends(ticker: $ticker, mic: $mic, limit: 100) {
    data { ex_date pay_date amount currency frequency }
  }
}`

interface Dividend {
  readonly ex_date: string
  readonly pay_date: string | null
  readonly amount: number
  readonly currency: string
  readonly frequency: string
}

const COLUMNS: readonly TableColumn<Dividend>[] = [
  { name: 'Ex-date', cell: ({ ex_date }) => formatDay(ex_date), sortKey: ({ ex_date }) => ex_date },
  { name: 'Paid on', cell: ({ pay_date }) => (pay_date === null ? '–' : formatDay(pay_date)) },
  {
    name: 'Amount',
    isNumber: true,
    cell: ({ amount, currency }) => `${formatFigure(amount)} ${currency}`,
    sortKey: ({ amount }) => amount,
  },
  { name: 'Frequency', cell: ({ frequency }) => frequency.replaceAll('_', ' ') },
]

export function DividendsPanel({ listing: { ticker, mic } }: { readonly listing: ListingKey }): JSX.Element {
  return (
    <QueryPanel<{ readonly dividends: { readonly data: readonly Dividend[] } }>
      title="Dividends"
      isWide
      query={{
        document: DIVIDENDS,
        variables: { ticker, mic },
        rest: [restGet(`/v1/stocks/${ticker}/dividends`, { mic, limit: 100 })],
      }}
    >
      {({ dividends: { data } }) =>
        data.length === 0 ? (
          <p class="quiet">No dividends are stored for this stock.</p>
        ) : (
          <SortableTable
            label="Dividends"
            columns={COLUMNS}
            rows={data}
            keyOf={({ ex_date, amount }) => `${ex_date} ${amount}`}
            pageSize={8}
          />
        )
      }
    </QueryPanel>
  )
}
