import type { JSX } from 'preact'
import { restGet } from '../../client/use-query.js'
import { FactList } from '../../parts/fact-list.js'
import { formatCompact } from '../../parts/format.js'
import { QueryPanel } from '../../parts/query-panel.js'
import type { ListingKey } from './listing-key.js'

const LISTING = `query Listing($slug: String!) {
  asset(id: $slug) {
    data { stock { ticker mic currency isin figi cik sector_gics market_cap_usd } }
  }
}`

interface Stock extends ListingKey {
  readonly currency: string
  readonly isin: string | null
  readonly figi: string | null
  readonly cik: string | null
  readonly sector_gics: string | null
  readonly market_cap_usd: number | null
}

interface ListingAnswer {
  readonly asset: { readonly data: { readonly stock: Stock | null } }
}

export interface ListingPanelProps {
  readonly slug: string
  readonly listing: ListingKey
}

/** The primary listing of a stock. */
export function ListingPanel({ slug, listing: { ticker, mic } }: ListingPanelProps): JSX.Element {
  return (
    <QueryPanel<ListingAnswer>
      title="Listing"
      isWide
      query={{ document: LISTING, variables: { slug }, rest: [restGet(`/v1/stocks/${ticker}`, { mic })] }}
    >
      {({ asset: { data } }) => <Facts stock={data.stock} />}
    </QueryPanel>
  )
}

function Facts({ stock }: { readonly stock: Stock | null }): JSX.Element {
  if (stock === null) return <p class="quiet">This stock has no listing.</p>
  return (
    <FactList
      facts={[
        ['Ticker', stock.ticker],
        ['Exchange (MIC)', stock.mic],
        ['Currency', stock.currency],
        ['Sector', stock.sector_gics],
        ['Market value, USD', formatCompact(stock.market_cap_usd)],
        ['ISIN', stock.isin],
        ['FIGI', stock.figi],
        ['CIK', stock.cik],
      ]}
    />
  )
}
