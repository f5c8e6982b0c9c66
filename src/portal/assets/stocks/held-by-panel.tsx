import type { JSX } from 'preact'
import { restGet } from '../../client/use-query.js'
import { formatCompact, formatDay, formatPercent } from '../../parts/format.js'
import { FRESHNESS, FreshnessLine, type FreshnessMeta } from '../../parts/freshness.js'
import { QueryPanel } from '../../parts/query-panel.js'
import { SortableTable, type TableColumn } from '../../parts/tables/sortable-table.js'
import type { ListingKey } from './listing-key.js'

/** The API returns at most this many ETFs at once, the heaviest weights first. */
const MAX_HOLDERS = 100

const HELD_BY = `query HeldBy($ticker: String!, $mic: String) {
  held_by(ticker: $ticker, mic: $mic, limit: ${MAX_HOLDERS}) {
    data { ticker name weight shares market_value_usd report_date source slug }
    meta { total }
    ${FRESHNESS}
  }
}`

interface Holder {
  readonly ticker: string
  readonly name: string
  readonly weight: number
  readonly shares: number | null
  readonly market_value_usd: number | null
  readonly report_date: string
  readonly source: string
  readonly slug: string
}

interface Answer {
  readonly held_by: {
    readonly data: readonly Holder[]
    readonly meta: { readonly total: number }
    readonly _meta: FreshnessMeta
  }
}

const COLUMNS: readonly TableColumn<Holder>[] = [
  {
    name: 'ETF',
    cell: ({ ticker, name, slug }) => (
      <>
        <a href={`/assets/${slug}`}>{name}</a> <span class="quiet">{ticker}</span>
      </>
    ),
    sortKey: ({ name }) => name,
  },
  {
    name: 'Weight',
    isNumber: true,
    cell: ({ weight }) => formatPercent(weight),
    sortKey: ({ weight }) => weight,
  },
  {
    name: 'Shares',
    isNumber: true,
    cell: ({ shares }) => formatCompact(shares),
    sortKey: ({ shares }) => shares,
  },
  {
    name: 'Value, USD',
    isNumber: true,
    cell: ({ market_value_usd }) => formatCompact(market_value_usd),
    sortKey: ({ market_value_usd }) => market_value_usd,
  },
  {
    name: 'Report',
    cell: ({ report_date, source }) => `${formatDay(report_date)}, ${source}`,
    sortKey: ({ report_date }) => report_date,
  },
]

/** The ETFs that hold a stock, the heaviest weight first. */
export function HeldByPanel({ listing: { ticker, mic } }: { readonly listing: ListingKey }): JSX.Element {
  return (
    <QueryPanel<Answer>
      title="Held by"
      isWide
      query={{
        document: HELD_BY,
        variables: { ticker, mic },
        rest: [restGet(`/v1/stocks/${ticker}/held-by`, { mic, limit: MAX_HOLDERS })],
      }}
    >
      {({ held_by: { data, meta, _meta } }) =>
        data.length === 0 ? (
          <p class="quiet">No ETF whose report is stored holds this stock.</p>
        ) : (
          <>
            <p>
              {meta.total === 1 ? '1 ETF holds' : `${meta.total} ETFs hold`} this stock
              {meta.total > data.length && <>; the {data.length} with the heaviest weights are shown</>}.
            </p>
            <SortableTable
              label="ETFs that hold this stock"
              columns={COLUMNS}
              rows={data}
              keyOf={({ ticker }) => ticker}
              pageSize={10}
            />
            <FreshnessLine meta={_meta} />
          </>
        )
      }
    </QueryPanel>
  )
}
