import type { JSX } from 'preact'
import { type ApiQuery, restGet } from '../client/use-query.js'
import { FactList } from '../parts/fact-list.js'
import { formatCompact, formatDay, formatPercent, formatPrice } from '../parts/format.js'
import { QueryPanel } from '../parts/query-panel.js'

const ETF = `query Etf($ticker: String!) {
  etf_instrument(ticker: $ticker) {
    data {
      issuer isin figi mic currency domicile expense_ratio inception_date
      nav nav_currency nav_date net_assets_usd holdings_count
    }
  }
}`

interface Etf {
  readonly issuer: string | null
  readonly isin: string | null
  readonly figi: string | null
  readonly mic: string | null
  readonly currency: string
  readonly domicile: string | null
  readonly expense_ratio: number | null
  readonly inception_date: string | null
  readonly nav: number | null
  readonly nav_currency: string | null
  readonly nav_date: string | null
  readonly net_assets_usd: number | null
  readonly holdings_count: number | null
}

/** The request for the terms of an ETF. */
export function buildFundQuery(ticker: string): ApiQuery {
  return { document: ETF, variables: { ticker }, rest: [restGet(`/v1/etf/${ticker}/instrument`)] }
}

/** The terms of an ETF. */
export function FundPanel({ ticker }: { readonly ticker: string }): JSX.Element {
  return (
    <QueryPanel<{ readonly etf_instrument: { readonly data: Etf } }>
      title="Fund"
      isWide
      query={buildFundQuery(ticker)}
    >
      {({ etf_instrument: { data } }) => <Facts etf={data} />}
    </QueryPanel>
  )
}

function Facts({ etf }: { readonly etf: Etf }): JSX.Element {
  return (
    <FactList
      facts={[
        ['Issuer', etf.issuer],
        ['Net asset value', etf.nav && `${formatPrice(etf.nav)} ${etf.nav_currency ?? ''}`],
        ['Net asset value of', etf.nav_date && formatDay(etf.nav_date)],
        ['Net assets, USD', formatCompact(etf.net_assets_usd)],
        ['Holdings', etf.holdings_count],
        ['Expense ratio', formatPercent(etf.expense_ratio)],
        ['Since', etf.inception_date && formatDay(etf.inception_date)],
        ['Domicile', etf.domicile],
        ['Exchange (MIC)', etf.mic],
        ['Currency', etf.currency],
        ['ISIN', etf.isin],
        ['FIGI', etf.figi],
      ]}
    />
  )
}
