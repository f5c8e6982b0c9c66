import type { JSX } from 'preact'
import { type ApiQuery, restGet } from '../../client/use-query.js'
import { formatCompact, formatDay, formatFigure } from '../../parts/format.js'
import { DataTable } from '../../parts/panel.js'
import { QueryPanel } from '../../parts/query-panel.js'
import type { ListingKey } from './listing-key.js'

const FIGURES = `period_end_date revenue_usd net_income_usd ebitda_usd eps_diluted
  reasons { figure reason } filings { figure calculation note }`

const QUARTERS = `query Quarters($ticker: String!, $mic: String) {
  trailing: stock_fundamentals(ticker: $ticker, mic: $mic, period: ttm) { data { ${FIGURES} } }
  quarter: stock_fundamentals(ticker: $ticker, mic: $mic, period: quarter) {
    data { ${FIGURES} periods(limit: 3) { ${FIGURES} } }
  }
}`

const COLUMNS = [
  ['revenue_usd', 'Revenue', formatCompact],
  ['net_income_usd', 'Net income', formatCompact],
  ['ebitda_usd', 'EBITDA', formatCompact],
  ['eps_diluted', 'Diluted earnings per share', formatFigure],
] as const

type ColumnName = (typeof COLUMNS)[number][0]

type PeriodFigures = Readonly<Record<ColumnName, number | null>> & {
  readonly period_end_date: string
  readonly reasons: readonly { readonly figure: string; readonly reason: string }[]
  readonly filings: readonly {
    readonly figure: string
    readonly calculation: string | null
    readonly note: string | null
  }[]
}

interface Answer {
  readonly trailing: { readonly data: PeriodFigures }
  readonly quarter: { readonly data: PeriodFigures & { readonly periods: readonly PeriodFigures[] | null } }
}

/** The request for the last four quarters and the trailing twelve months. */
export function buildQuartersQuery({ ticker, mic }: ListingKey): ApiQuery {
  const path = `/v1/stocks/${ticker}/fundamentals`
  return {
    document: QUARTERS,
    variables: { ticker, mic },
    rest: [restGet(path, { mic, period: 'ttm' }), restGet(path, { mic, period: 'quarter' })],
  }
}

/** The last four quarters and the trailing twelve months of a company, with the reason for each figure that is missing. */
export function QuartersPanel({ listing }: { readonly listing: ListingKey }): JSX.Element {
  return (
    <QueryPanel<Answer> title="Quarters" isWide query={buildQuartersQuery(listing)}>
      {({ trailing, quarter }) => {
        const rows = [
          ['Twelve months', trailing.data] as const,
          ...[quarter.data, ...(quarter.data.periods ?? [])].map((data) => ['Quarter', data] as const),
        ]
        return (
          <>
            <DataTable
              label="Quarters and trailing twelve months"
              caption="Amounts in USD."
              columns={['Period', ...COLUMNS.map(([, number]) => ({ number }))]}
              isStacked
            >
              {rows.map(([kind, data]) => (
                <tr key={`${kind} ${data.period_end_date}`}>
                  <th scope="row">
                    {kind} to {formatDay(data.period_end_date)}
                  </th>
                  {COLUMNS.map(([name, title, format]) => (
                    <td class="number" data-name={title} key={name}>
                      {format(data[name])}
                    </td>
                  ))}
                </tr>
              ))}
            </DataTable>
            <Remarks rows={rows} />
          </>
        )
      }}
    </QueryPanel>
  )
}

/** Why figures are missing, how others are computed, and what is to be known beside them. */
function Remarks({
  rows,
}: {
  readonly rows: readonly (readonly [kind: string, data: PeriodFigures])[]
}): JSX.Element | null {
  const remarks = rows.flatMap(([kind, data]) =>
    COLUMNS.flatMap(([name, title]) => {
      const place = `${title}, ${kind.toLowerCase()} to ${formatDay(data.period_end_date)}`
      const missing = data.reasons.find(({ figure }) => figure === name)
      const filed = data.filings.find(({ figure }) => figure === name)
      const texts = [missing?.reason, filed?.calculation, filed?.note]
      return texts.flatMap((text) => (text == null ? [] : `${place}: ${text}.`))
    }),
  )
  if (remarks.length === 0) return null
  return (
    <details>
      <summary>How these figures are computed, and why others are missing</summary>
      <ul class="quiet">
        {remarks.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </details>
  )
}
