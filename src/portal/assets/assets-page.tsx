import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { restGet } from '../client/use-query.js'
import { useParameter } from '../location.js'
import { Choice } from '../parts/choice.js'
import { formatCompact, formatFigure, formatInstant } from '../parts/format.js'
import { FRESHNESS, FreshnessLine, type FreshnessMeta } from '../parts/freshness.js'
import { QueryPanel } from '../parts/query-panel.js'
import { type OrderedColumn, OrderedTable, type TableOrder } from '../parts/tables/ordered-table.js'
import { Pager } from '../parts/tables/pager.js'

/** The API returns at most this many assets at once. */
const PAGE_SIZE = 100

const ASSETS = `query Assets(
  $asset_class: AssetClass, $tier: Int, $q: String, $sort: AssetSort, $order: SortOrder, $limit: Int!, $offset: Int!
) {
  assets(
    asset_class: $asset_class, tier: $tier, q: $q, sort: $sort, order: $order, limit: $limit, offset: $offset
  ) {
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

const COLUMNS: readonly OrderedColumn<ListedAsset>[] = [
  {
    name: 'Asset',
    cell: ({ slug, name, ticker }) => (
      <>
        <a href={`/assets/${slug}`}>{name}</a> <span class="quiet">{ticker}</span>
      </>
    ),
    sortName: 'name',
  },
  {
    name: 'Price, USD',
    isNumber: true,
    cell: ({ price_consensus_usd }) => formatFigure(price_consensus_usd),
    sortName: 'price',
  },
  {
    name: 'Market value, USD',
    isNumber: true,
    cell: ({ market_cap_derived_usd }) => formatCompact(market_cap_derived_usd),
    sortName: 'market_cap',
  },
  { name: 'Class', cell: ({ asset_class }) => asset_class },
  { name: 'Tier', isNumber: true, cell: ({ tier }) => tier ?? '–', sortName: 'tier' },
  {
    name: 'Updated',
    cell: ({ last_updated }) => formatInstant(last_updated),
    sortName: 'last_updated',
  },
]

/** The list waits this long after the last key of the filter before it requests anything. */
const DEBOUNCE_MS = 300

/** All assets by class and tier, in any order; the gateway sorts and filters all of them. */
export function AssetsPage(): JSX.Element {
  const [assetClass, setAssetClass] = useParameter('class', 'all')
  const [tier, setTier] = useParameter('tier', 'all')
  const [q, setQ] = useParameter('q', '')
  const [orderText, setOrderText] = useParameter('order', '')
  const [offset, setOffset] = useState(0)
  const order = parseOrder(orderText)
  const variables = {
    asset_class: assetClass === 'all' ? null : assetClass,
    tier: tier === 'all' ? null : Number(tier),
    q: q === '' ? null : q,
    sort: order?.sortName ?? null,
    order: order === null ? null : order.isAscending ? 'asc' : 'desc',
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
            <Filter text={q} onChange={choose(setQ)} />
          </>
        }
      >
        {({ assets: { data, meta, _meta } }) => (
          <>
            <OrderedTable
              label="Assets"
              columns={COLUMNS}
              rows={data}
              keyOf={({ slug }) => slug}
              order={order}
              onOrder={({ sortName, isAscending }) =>
                choose(setOrderText)(isAscending ? sortName : `-${sortName}`)
              }
            />
            {data.length === 0 && (
              <p class="quiet">
                {q === '' ? 'No asset has this class and tier.' : `No asset contains “${q}”.`}
              </p>
            )}
            <Pager offset={offset} pageSize={PAGE_SIZE} total={meta.total} onMove={setOffset} />
            {data.length > 0 && <FreshnessLine meta={_meta} />}
          </>
        )}
      </QueryPanel>
    </>
  )
}

/** Parses `price` or `-price`; null for a text that is not an order. */
function parseOrder(text: string): TableOrder | null {
  const isAscending = !text.startsWith('-')
  const sortName = isAscending ? text : text.slice(1)
  return COLUMNS.some((column) => column.sortName === sortName) ? { sortName, isAscending } : null
}

function Filter({
  text,
  onChange,
}: {
  readonly text: string
  readonly onChange: (text: string) => void
}): JSX.Element {
  const [typed, setTyped] = useState(text)
  useEffect(() => {
    const wanted = typed.trim()
    if (wanted === text) return
    const timer = setTimeout(() => onChange(wanted), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [typed, text, onChange])
  return (
    <label>
      Filter
      <input
        type="search"
        value={typed}
        maxLength={64}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </label>
  )
}
