import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { restGet } from '../client/use-query.js'
import { formatCompact, formatDay, formatFigure, formatPercent } from '../parts/format.js'
import { Pager } from '../parts/pager.js'
import { QueryPanel } from '../parts/query-panel.js'
import { SortableTable, type TableColumn } from '../parts/sortable-table.js'

const PAGE_SIZE = 100

const HOLDINGS = `query Holdings($ticker: String!, $offset: Int!) {
  etf_holdings(ticker: $ticker, limit: ${PAGE_SIZE}, offset: $offset) {
    data { position name ticker isin country weight shares market_value_usd as_of instrument { slug } }
    meta { total }
  }
}`

interface Holding {
  readonly position: number
  readonly name: string
  readonly ticker: string | null
  readonly isin: string | null
  readonly country: string | null
  readonly weight: number
  readonly shares: number | null
  readonly market_value_usd: number | null
  readonly as_of: string
  readonly instrument: { readonly slug: string } | null
}

interface Holdings {
  readonly etf_holdings: { readonly data: readonly Holding[]; readonly meta: { readonly total: number } }
}

const COLUMNS: readonly TableColumn<Holding>[] = [
  {
    name: 'Holding',
    cell: ({ name, instrument }) =>
      instrument === null ? name : <a href={`/assets/${instrument.slug}`}>{name}</a>,
    sortKey: ({ name }) => name,
  },
  { name: 'Ticker', cell: ({ ticker }) => ticker ?? '–', sortKey: ({ ticker }) => ticker },
  {
    name: 'Weight',
    isNumber: true,
    cell: ({ weight }) => formatPercent(weight),
    sortKey: ({ weight }) => weight,
  },
  {
    name: 'Value, USD',
    isNumber: true,
    cell: ({ market_value_usd }) => formatCompact(market_value_usd),
    sortKey: ({ market_value_usd }) => market_value_usd,
  },
  {
    name: 'Shares',
    isNumber: true,
    cell: ({ shares }) => formatFigure(shares),
    sortKey: ({ shares }) => shares,
  },
  { name: 'Country', cell: ({ country }) => country ?? '–', sortKey: ({ country }) => country },
  { name: 'ISIN', cell: ({ isin }) => isin ?? '–', sortKey: ({ isin }) => isin },
]

/** What an ETF holds, the heaviest first. */
export function HoldingsPanel({ ticker }: { readonly ticker: string }): JSX.Element {
  const [offset, setOffset] = useState(0)
  return (
    <QueryPanel<Holdings>
      title="Holdings"
      isWide
      query={{
        document: HOLDINGS,
        variables: { ticker, offset },
        rest: [restGet(`/v1/etf/${ticker}/holdings`, { limit: PAGE_SIZE, offset })],
      }}
    >
      {({ etf_holdings: { data, meta } }) => {
        const [first] = data
        if (first === undefined) return <p class="quiet">No holdings are stored for this ETF.</p>
        return (
          <>
            <p class="quiet">Reported for {formatDay(first.as_of)}.</p>
            <SortableTable
              label="Holdings"
              columns={COLUMNS}
              rows={data}
              keyOf={({ position }) => position}
              filterText={({ name, ticker: symbol, isin }) => `${name} ${symbol} ${isin}`}
              pageSize={PAGE_SIZE}
            />
            <Pager offset={offset} pageSize={PAGE_SIZE} total={meta.total} onMove={setOffset} />
          </>
        )
      }}
    </QueryPanel>
  )
}
