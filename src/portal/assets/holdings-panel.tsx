import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { type ApiQuery, restGet } from '../client/use-query.js'
import { daysAgo } from '../parts/days-ago.js'
import { formatDay } from '../parts/format.js'
import { Pager } from '../parts/pager.js'
import { QueryPanel } from '../parts/query-panel.js'
import { SortableTable } from '../parts/sortable-table.js'
import type { Holding } from './holding.js'
import { toHoldingColumns } from './holding-columns.js'
import { HoldingsTreemap } from './holdings-treemap.js'
import { compareReports, type EarlierReport, NoLongerHeld } from './report-comparison.js'

const PAGE_SIZE = 100

const HOLDINGS = `etf_holdings(ticker: $ticker, limit: $limit, offset: $offset) {
    data { position name ticker isin figi country weight shares market_value_usd as_of instrument { slug } }
    meta { total }
  }`

const EARLIER = `earlier: etf_holdings(ticker: $ticker, limit: $limit, as_of: $as_of) {
    data { name isin figi weight as_of }
    meta { total }
  }`

interface Holdings {
  readonly etf_holdings: { readonly data: readonly Holding[]; readonly meta: { readonly total: number } }
  readonly earlier?: EarlierReport
}

/** What an ETF holds, the heaviest first, beside an earlier report that the visitor chooses. */
export function HoldingsPanel({ ticker }: { readonly ticker: string }): JSX.Element {
  const [offset, setOffset] = useState(0)
  const [asOf, setAsOf] = useState<string | null>(null)
  const query = useMemo(() => buildQuery(ticker, offset, asOf), [ticker, offset, asOf])
  return (
    <QueryPanel<Holdings>
      title="Holdings"
      isWide
      query={query}
      controls={
        <div class="row">
          <label>
            Compare with the report of
            <input
              type="date"
              max={daysAgo(0)}
              value={asOf ?? ''}
              onChange={(event) => setAsOf(event.currentTarget.value || null)}
            />
          </label>
          <button type="button" class="plain" disabled={asOf === null} onClick={() => setAsOf(null)}>
            No comparison
          </button>
        </div>
      }
    >
      {({ etf_holdings: { data, meta }, earlier }) => (
        <>
          <Report
            holdings={data}
            total={meta.total}
            isFirstPage={offset === 0}
            earlier={asOf === null ? undefined : earlier}
            onEarlier={setAsOf}
          />
          <Pager offset={offset} pageSize={PAGE_SIZE} total={meta.total} onMove={setOffset} />
        </>
      )}
    </QueryPanel>
  )
}

/** The holdings of the newest report; with `asOf` also those of the report of that day, or of the newest one before it. */
function buildQuery(ticker: string, offset: number, asOf: string | null): ApiQuery {
  const path = `/v1/etf/${ticker}/holdings`
  const variables = { ticker, limit: PAGE_SIZE, offset }
  const now = restGet(path, { limit: PAGE_SIZE, offset })
  if (asOf === null)
    return {
      document: `query Holdings($ticker: String!, $limit: Int!, $offset: Int!) {\n  ${HOLDINGS}\n}`,
      variables,
      rest: [now],
    }
  return {
    document: `query Holdings($ticker: String!, $limit: Int!, $offset: Int!, $as_of: Date!) {\n  ${HOLDINGS}\n  ${EARLIER}\n}`,
    variables: { ...variables, as_of: asOf },
    rest: [now, restGet(path, { limit: PAGE_SIZE, as_of: asOf })],
  }
}

interface ReportProps {
  readonly holdings: readonly Holding[]
  /** Number of holdings on all pages. */
  readonly total: number
  readonly isFirstPage: boolean
  readonly earlier: EarlierReport | undefined
  /** Chooses the newest report up to a day. */
  readonly onEarlier: (day: string) => void
}

function Report({ holdings, total, isFirstPage, earlier, onEarlier }: ReportProps): JSX.Element {
  const comparison = useMemo(
    () => (earlier === undefined ? null : compareReports(holdings, earlier)),
    [holdings, earlier],
  )
  const columns = useMemo(() => toHoldingColumns(comparison), [comparison])
  const [first] = holdings
  if (first === undefined) return <p class="quiet">No holdings are stored for this ETF.</p>
  const oldest = comparison?.asOf ?? first.as_of
  return (
    <>
      <p>
        Reported for {formatDay(first.as_of)}
        {comparison !== null && <>, compared with the report for {formatDay(comparison.asOf)}</>}.{' '}
        <button type="button" class="plain small" onClick={() => onEarlier(dayBefore(oldest))}>
          Compare with the report before {formatDay(oldest)}
        </button>
      </p>
      {isFirstPage && <HoldingsTreemap holdings={holdings} total={total} />}
      <SortableTable
        label="Holdings"
        columns={columns}
        rows={holdings}
        keyOf={({ position }) => position}
        filterText={({ name, ticker, isin }) => `${name} ${ticker} ${isin}`}
        pageSize={PAGE_SIZE}
      />
      {comparison !== null && total <= PAGE_SIZE && <NoLongerHeld comparison={comparison} />}
    </>
  )
}

const DAY_MS = 86_400_000

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10)
}
