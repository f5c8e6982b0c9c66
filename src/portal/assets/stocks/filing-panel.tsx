import type { JSX } from 'preact'
import { type ApiQuery, restGet } from '../../client/use-query.js'
import { FactList } from '../../parts/fact-list.js'
import { formatCompact, formatDay, formatFigure } from '../../parts/format.js'
import { QueryPanel } from '../../parts/query-panel.js'
import type { ListingKey } from './listing-key.js'
import { RATIOS, type Ratios, RatiosTable } from './ratios-table.js'

const FUNDAMENTALS = `query Fundamentals($ticker: String!, $mic: String) {
  stock_fundamentals(ticker: $ticker, mic: $mic) {
    data {
      period_end_date filing_type filed_date
      revenue_usd net_income_usd ebitda_usd total_assets_usd total_debt_usd cash_and_equivalents_usd eps_diluted
      aaoifi {
        ${RATIOS}
      }
    }
  }
}`

interface Fundamentals {
  readonly period_end_date: string
  readonly filing_type: string
  readonly filed_date: string
  readonly revenue_usd: number | null
  readonly net_income_usd: number | null
  readonly ebitda_usd: number | null
  readonly total_assets_usd: number | null
  readonly total_debt_usd: number | null
  readonly cash_and_equivalents_usd: number | null
  readonly eps_diluted: number | null
  readonly aaoifi: Ratios
}

/** The request for the figures of the newest filing. */
export function buildFilingQuery({ ticker, mic }: ListingKey): ApiQuery {
  return {
    document: FUNDAMENTALS,
    variables: { ticker, mic },
    rest: [restGet(`/v1/stocks/${ticker}/fundamentals`, { mic })],
  }
}

/** Figures of the newest filing of a company, and its AAOIFI ratios. */
export function FilingPanel({ listing }: { readonly listing: ListingKey }): JSX.Element {
  return (
    <QueryPanel<{ readonly stock_fundamentals: { readonly data: Fundamentals } }>
      title="Fundamentals"
      isWide
      query={buildFilingQuery(listing)}
    >
      {({ stock_fundamentals: { data } }) => (
        <>
          <p class="quiet">
            {data.filing_type} of the period to {formatDay(data.period_end_date)}, filed on{' '}
            {formatDay(data.filed_date)}. Amounts in USD.
          </p>
          <FactList
            facts={[
              ['Revenue', formatCompact(data.revenue_usd)],
              ['Net income', formatCompact(data.net_income_usd)],
              ['EBITDA', formatCompact(data.ebitda_usd)],
              ['Diluted earnings per share', formatFigure(data.eps_diluted)],
              ['Total assets', formatCompact(data.total_assets_usd)],
              ['Total debt', formatCompact(data.total_debt_usd)],
              ['Cash', formatCompact(data.cash_and_equivalents_usd)],
            ]}
          />
          <RatiosTable ratios={data.aaoifi} />
        </>
      )}
    </QueryPanel>
  )
}
