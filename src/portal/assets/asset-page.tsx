import type { JSX } from 'preact'
import { type ApiQuery, restGet, useQuery } from '../client/use-query.js'
import { ApiCalls } from '../parts/api-calls.js'
import { FactList } from '../parts/fact-list.js'
import { formatCompact, formatFigure, formatInstant } from '../parts/format.js'
import { FRESHNESS, FreshnessLine, type FreshnessMeta } from '../parts/freshness.js'
import { Badge, LoadedView } from '../parts/panel.js'
import { useTitle } from '../parts/use-title.js'
import { AnalysesPanels } from './analyses-panels.js'
import type { Asset } from './asset.js'
import { CommodityPanel } from './commodity-panel.js'
import { CryptoPanels } from './crypto-panels.js'
import { EtfPanels } from './etf-panels.js'
import { StockPanels } from './stocks/stock-panels.js'

const ASSET = `query Asset($slug: String!) {
  asset(id: $slug) {
    data {
      asset_id slug ticker name asset_class tier
      price_consensus_usd market_cap_derived_usd source_count last_updated
      supply { value }
    }
    ${FRESHNESS}
  }
}`

interface AssetAnswer {
  readonly asset: { readonly data: Asset; readonly _meta: FreshnessMeta }
}

/** Everything about one asset that its class has. */
export function AssetPage({ slug }: { readonly slug: string }): JSX.Element {
  const query: ApiQuery = {
    document: ASSET,
    variables: { slug },
    rest: [restGet(`/v1/assets/${slug}`)],
  }
  const { loaded, reload } = useQuery<AssetAnswer>(query)
  const asset = loaded.state === 'ready' ? loaded.answer.asset.data : null
  useTitle(asset === null ? slug : `${asset.name} (${asset.ticker})`)
  return (
    <>
      <div class="intro">
        <p>
          <a href="/assets">All assets</a>
        </p>
        <h1>
          {asset?.name ?? slug} {asset !== null && <span class="quiet">{asset.ticker}</span>}
        </h1>
        <LoadedView loaded={loaded} reload={reload}>
          {({ asset: { data, _meta } }) => <Summary asset={data} meta={_meta} />}
        </LoadedView>
        <ApiCalls query={query} />
      </div>
      {asset !== null && <PanelsOfClass asset={asset} />}
    </>
  )
}

function Summary({ asset, meta }: { readonly asset: Asset; readonly meta: FreshnessMeta }): JSX.Element {
  return (
    <>
      {asset.price_consensus_usd !== null && (
        <p class="headline">
          <strong>{formatFigure(asset.price_consensus_usd)}</strong> USD
        </p>
      )}
      <FactList
        facts={[
          ['Class', <Badge key="class" tone="quiet" text={asset.asset_class} />],
          ['Tier', asset.tier],
          [
            'Market value',
            asset.market_cap_derived_usd && `${formatCompact(asset.market_cap_derived_usd)} USD`,
          ],
          ['Supply', asset.supply && formatCompact(asset.supply.value)],
          ['Exchanges', asset.source_count],
          ['Updated', formatInstant(asset.last_updated)],
        ]}
      />
      <FreshnessLine meta={meta} />
    </>
  )
}

function PanelsOfClass({ asset }: { readonly asset: Asset }): JSX.Element {
  return (
    <div class="panels">
      {asset.asset_class === 'crypto' && <CryptoPanels asset={asset} />}
      {asset.asset_class === 'stock' && <StockPanels asset={asset} />}
      {asset.asset_class === 'etf' && <EtfPanels asset={asset} />}
      {asset.asset_class === 'commodity' && <CommodityPanel asset={asset} />}
      <AnalysesPanels slug={asset.slug} />
    </div>
  )
}
