import type { JSX } from 'preact'
import { restGet, useQuery } from '../../client/use-query.js'
import { ApiCalls } from '../../parts/api-calls.js'
import { FactList } from '../../parts/fact-list.js'
import { formatCompact } from '../../parts/format.js'
import { LoadedView, Panel } from '../../parts/panel.js'
import type { Asset } from '../asset.js'
import { ActionsPanel } from './actions-panel.js'
import { DividendsPanel } from './dividends-panel.js'
import { FilingPanel } from './filing-panel.js'
import { ListedPricesPanel } from './listed-prices-panel.js'
import type { ListingKey } from './listing-key.js'
import { formatClose, type ListingClose, NEWEST_CLOSE } from './newest-close.js'

const LISTING = `query Listing($slug: String!) {
  asset(id: $slug) {
    data { stock { ticker mic currency isin figi cik sector_gics market_cap_usd ${NEWEST_CLOSE} } }
  }
}`

interface Stock extends ListingKey {
  readonly currency: string
  readonly isin: string | null
  readonly figi: string | null
  readonly cik: string | null
  readonly sector_gics: string | null
  readonly market_cap_usd: number | null
  readonly newest_close: ListingClose | null
}

interface ListingAnswer {
  readonly asset: { readonly data: { readonly stock: Stock | null } }
}

/** The primary listing of a stock, and what its company filed, paid and changed. */
export function StockPanels({ asset }: { readonly asset: Asset }): JSX.Element {
  const query = {
    document: LISTING,
    variables: { slug: asset.slug },
    rest: [],
  }
  const { loaded, reload } = useQuery<ListingAnswer>(query)
  const stock = loaded.state === 'ready' ? loaded.answer.asset.data.stock : null
  // A ticker that is listed on several markets needs the market too.
  const rest = [restGet(`/v1/stocks/${asset.ticker}`, { mic: stock?.mic })]
  return (
    <>
      {stock !== null && <ListedPricesPanel listing={stock} name={asset.name} assetClass="stock" />}
      <Panel title="Listing">
        <LoadedView loaded={loaded} reload={reload}>
          {({ asset: { data } }) => <Facts stock={data.stock} />}
        </LoadedView>
        <ApiCalls query={{ ...query, rest }} />
      </Panel>
      {stock !== null && (
        <>
          <ActionsPanel listing={stock} />
          <FilingPanel listing={stock} />
          <DividendsPanel listing={stock} />
        </>
      )}
    </>
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
        ['Newest close', formatClose(stock.newest_close)],
        ['Market value, USD', formatCompact(stock.market_cap_usd)],
        ['ISIN', stock.isin],
        ['FIGI', stock.figi],
        ['CIK', stock.cik],
      ]}
    />
  )
}
