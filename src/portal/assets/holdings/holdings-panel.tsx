import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { type ApiQuery, restGet, useQuery } from '../../client/use-query.js'
import { formatDay } from '../../parts/format.js'
import { QueryPanel } from '../../parts/query-panel.js'
import { Pager } from '../../parts/tables/pager.js'
import { SortableTable } from '../../parts/tables/sortable-table.js'
import type { Holding } from './holding.js'
import { toHoldingColumns } from './holding-columns.js'
import { HoldingsTreemap } from './holdings-treemap.js'
import { compareReports, type EarlierReport, NoLongerHeld } from './report-comparison.js'

const PAGE_SIZE = 100

const HOLDINGS = `etf_holdings(ticker: $ticker, limit: $limit, offset: $offset) {
    data { position name ticker isin figi country weight shares market_value_usd report_date instrument { slug } }
    meta { total }
  }`

const EARLIER = `earlier: etf_holdings(ticker: $ticker, limit: $limit, report_date: $report_date) {
    data { name isin figi weight report_date }
    meta { total }
  }`

const REPORTS = `query Reports($ticker: String!) {
  etf_reports(ticker: $ticker, limit: 100) { data { report_date } }
}`

interface Reports {
  readonly etf_reports: { readonly data: readonly { readonly report_date: string }[] }
}

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
      controls={<ReportChoice ticker={ticker} chosen={asOf} onChoose={setAsOf} />}
    >
      {({ etf_holdings: { data, meta }, earlier }) => (
        <>
          <Report
            holdings={data}
            total={meta.total}
            isFirstPage={offset === 0}
            earlier={asOf === null ? undefined : earlier}
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
    document: `query Holdings($ticker: String!, $limit: Int!, $offset: Int!, $report_date: Date!) {\n  ${HOLDINGS}\n  ${EARLIER}\n}`,
    variables: { ...variables, report_date: asOf },
    rest: [now, restGet(path, { limit: PAGE_SIZE, report_date: asOf })],
  }
}

interface ReportChoiceProps {
  readonly ticker: string
  readonly chosen: string | null
  readonly onChoose: (day: string | null) => void
}

/** Chooses one of the reports before the newest one. */
function ReportChoice({ ticker, chosen, onChoose }: ReportChoiceProps): JSX.Element | null {
  const { loaded } = useQuery<Reports>(useMemo(() => toReportsQuery(ticker), [ticker]))
  const isReady = loaded.state === 'ready'
  const [, ...earlier] = isReady ? loaded.answer.etf_reports.data : []
  // Most funds have an earlier report, so the choice is there before the reports are.
  if ((isReady && earlier.length === 0) || loaded.state === 'failed') return null
  return (
    <div class="row">
      <label>
        Compare with the report of
        <select
          value={chosen ?? ''}
          disabled={!isReady}
          onChange={(event) => onChoose(event.currentTarget.value || null)}
        >
          <option value="">No comparison</option>
          {earlier.map(({ report_date }) => (
            <option key={report_date} value={report_date}>
              {formatDay(report_date)}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

function toReportsQuery(ticker: string): ApiQuery {
  return { document: REPORTS, variables: { ticker }, rest: [restGet(`/v1/etf/${ticker}/reports`)] }
}

interface ReportProps {
  readonly holdings: readonly Holding[]
  /** Number of holdings on all pages. */
  readonly total: number
  readonly isFirstPage: boolean
  readonly earlier: EarlierReport | undefined
}

function Report({ holdings, total, isFirstPage, earlier }: ReportProps): JSX.Element {
  const comparison = useMemo(
    () => (earlier === undefined ? null : compareReports(holdings, earlier)),
    [holdings, earlier],
  )
  const columns = useMemo(() => toHoldingColumns(comparison), [comparison])
  const [first] = holdings
  if (first === undefined) return <p class="quiet">No holdings are stored for this ETF.</p>
  return (
    <>
      <p>
        Reported for {formatDay(first.report_date)}
        {comparison !== null && <>, compared with the report for {formatDay(comparison.asOf)}</>}.
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
