import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { restGet } from '../client/use-query.js'
import { useParameter } from '../location.js'
import { Choice } from '../parts/choice.js'
import { formatCompact, formatFigure, formatInstant } from '../parts/format.js'
import { FRESHNESS, FreshnessLine, type FreshnessMeta } from '../parts/freshness.js'
import { Pager } from '../parts/pager.js'
import { QueryPanel } from '../parts/query-panel.js'
import { SortableTable, type TableColumn } from '../parts/sortable-table.js'

/** The API returns at most this many assets at once. */
const PAGE_SIZE = 100

const ASSETS = `query Assets($asset_class: AssetClass, $tier: Int, $limit: Int!, $offset: Int!) {
  assets(asset_class: $asset_class, tier: $tier, limit: $limit, offset: $offset) {
    data { slug ticker name asset_class tier price_consensus_usd market_cap_derived_usd last_updated }
    meta { total }
    ${FRESHNESS}
  }
}`

const CLASSES = [
  ['all', 'All'],
  ['crypto', 'Crypto'],
  ['stock', 'Stocks'],
  ['etf', 'ETFs'],
  ['commodity', 'Commodities'],
] as const

const TIERS = [
  ['all', 'All tiers'],
  ['1', 'Tier 1'],
  ['2', 'Tier 2'],
  ['3', 'Tier 3'],
] as const

interface ListedAsset {
  readonly slug: string
  readonly ticker: string
  readonly name: string
  readonly asset_class: string
  readonly tier: number | null
  readonly price_consensus_usd: number | null
  readonly market_cap_derived_usd: number | null
  readonly last_updated: string
}

interface AssetsAnswer {
  readonly assets: {
    readonly data: readonly ListedAsset[]
    readonly meta: { readonly total: number }
    readonly _meta: FreshnessMeta
  }
}

const COLUMNS: readonly TableColumn<ListedAsset>[] = [
  {
    name: 'Asset',
    cell: ({ slug, name, ticker }) => (
      <>
        <a href={`/assets/${slug}`}>{name}</a> <span class="quiet">{ticker}</span>
      </>
    ),
    sortKey: ({ name }) => name,
  },
  {
    name: 'Price, USD',
    isNumber: true,
    cell: ({ price_consensus_usd }) => formatFigure(price_consensus_usd),
    sortKey: ({ price_consensus_usd }) => price_consensus_usd,
  },
  {
    name: 'Market value, USD',
    isNumber: true,
    cell: ({ market_cap_derived_usd }) => formatCompact(market_cap_derived_usd),
    sortKey: ({ market_cap_derived_usd }) => market_cap_derived_usd,
  },
  { name: 'Class', cell: ({ asset_class }) => asset_class, sortKey: ({ asset_class }) => asset_class },
  { name: 'Tier', isNumber: true, cell: ({ tier }) => tier ?? '–', sortKey: ({ tier }) => tier },
  {
    name: 'Updated',
    cell: ({ last_updated }) => formatInstant(last_updated),
    sortKey: ({ last_updated }) => last_updated,
  },
]

/** All assets, by class and tier. */
export function AssetsPage(): JSX.Element {
  const [assetClass, setAssetClass] = useParameter('class', 'all')
  const [tier, setTier] = useParameter('tier', 'all')
  const [offset, setOffset] = useState(0)
  const variables = {
    asset_class: assetClass === 'all' ? null : assetClass,
    tier: tier === 'all' ? null : Number(tier),
    limit: PAGE_SIZE,
    offset,
  }
  const choose = (set: (value: string) => void) => (value: string) => {
    setOffset(0)
    set(value)
  }
  return (
    <>
      <div class="intro">
        <h1>Assets</h1>
        <p>
          Crypto assets have a consensus price of several exchanges. Stocks, ETFs and commodities have their
          own data: open one to see them.
        </p>
      </div>
      <QueryPanel<AssetsAnswer>
        title="All assets"
        isWide
        query={{ document: ASSETS, variables, rest: [restGet('/v1/assets', variables)] }}
        controls={
          <>
            <Choice label="Class" options={CLASSES} value={assetClass} onChange={choose(setAssetClass)} />
            {assetClass === 'crypto' && (
              <Choice label="Tier" options={TIERS} value={tier} onChange={choose(setTier)} />
            )}
          </>
        }
      >
        {({ assets: { data, meta, _meta } }) =>
          data.length === 0 ? (
            <p class="quiet">No asset has this class and tier.</p>
          ) : (
            <>
              <SortableTable
                label="Assets"
                columns={COLUMNS}
                rows={data}
                keyOf={({ slug }) => slug}
                filterText={({ name, ticker, slug }) => `${name} ${ticker} ${slug}`}
                pageSize={PAGE_SIZE}
              />
              <Pager offset={offset} pageSize={PAGE_SIZE} total={meta.total} onMove={setOffset} />
              {meta.total > PAGE_SIZE && (
                <p class="quiet">
                  Filter and order apply to the {data.length} assets of this page. The search above finds
                  every asset.
                </p>
              )}
              <FreshnessLine meta={_meta} />
            </>
          )
        }
      </QueryPanel>
    </>
  )
}
