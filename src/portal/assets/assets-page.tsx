import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { restGet } from '../client/use-query.js'
import { useParameter } from '../location.js'
import { Choice } from '../parts/choice.js'
import { FreshnessLine, type FreshnessMeta } from '../parts/freshness.js'
import { QueryPanel } from '../parts/query-panel.js'
import { type OrderedColumn, OrderedTable, type TableOrder } from '../parts/tables/ordered-table.js'
import { Pager } from '../parts/tables/pager.js'
import { CHANGE_NOTES, isFigureOrder, listColumns } from './list/asset-columns.js'
import { type AssetRow, STOCKS_BY_FIGURE, toListDocument } from './list/asset-row.js'

/** The prices of as many assets cost few units. */
const PAGE_SIZE = 40

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

interface AssetsAnswer {
  readonly assets: {
    readonly data: readonly (AssetRow | { readonly asset: AssetRow })[]
    readonly meta: { readonly total: number }
    readonly _meta: FreshnessMeta
  }
}

/** The list waits this long after the last key of the filter before it requests anything. */
const DEBOUNCE_MS = 300

/** All assets by class and tier, in any order; the gateway sorts and filters all of them. */
export function AssetsPage(): JSX.Element {
  const [assetClass, setAssetClass] = useParameter('class', 'all')
  const [tier, setTier] = useParameter('tier', 'all')
  const [q, setQ] = useParameter('q', '')
  const [orderText, setOrderText] = useParameter('order', '')
  const [offset, setOffset] = useState(0)
  const columns = listColumns(assetClass, q === '' ? 'sorting' : 'shown')
  const order = parseOrder(orderText, columns)
  const isByFigure = order !== null && isFigureOrder(order.sortName)
  const document = useMemo(
    () => (isByFigure ? STOCKS_BY_FIGURE : toListDocument(assetClass)),
    [isByFigure, assetClass],
  )
  const page = {
    sort: order?.sortName ?? null,
    order: order === null ? null : order.isAscending ? 'asc' : 'desc',
    limit: PAGE_SIZE,
    offset,
  }
  const variables = isByFigure
    ? { ...page, period: 'ttm' }
    : {
        ...page,
        asset_class: assetClass === 'all' ? null : assetClass,
        tier: tier === 'all' ? null : Number(tier),
        q: q === '' ? null : q,
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
          Crypto assets have a consensus price of several exchanges, stocks and ETFs their closing prices,
          commodities the average of each month.
        </p>
      </div>
      <QueryPanel<AssetsAnswer>
        title="All assets"
        isWide
        query={{
          document,
          variables,
          rest: [restGet(isByFigure ? '/v1/stocks' : '/v1/assets', variables)],
          restNote: 'This route returns the assets. Their prices over time are fields in GraphQL.',
          mayBeNull: 'members',
        }}
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
              columns={hasFigures(data) ? columns : listColumns(assetClass, 'hidden')}
              rows={data.map(toAsset)}
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
            <WhyUnpriced rows={data.map(toAsset)} />
            {CHANGE_NOTES[assetClass] !== undefined && <p class="quiet">{CHANGE_NOTES[assetClass]}</p>}
            {data.length > 0 && <FreshnessLine meta={_meta} />}
          </>
        )}
      </QueryPanel>
    </>
  )
}

/** Stocks in the order of a figure are listings, each with its asset. */
function toAsset(row: AssetRow | { readonly asset: AssetRow }): AssetRow {
  return 'asset' in row ? row.asset : row
}

/** Says why no asset of a list has a price; nothing if one has. */
function WhyUnpriced({ rows }: { readonly rows: readonly AssetRow[] }): JSX.Element | null {
  const isPriced = rows.some(
    ({ price_changes, commodity }) => (commodity?.price_usd ?? price_changes.price) !== null,
  )
  const reason = rows[0]?.price_changes.reason ?? null
  return isPriced || reason === null ? null : <p class="quiet">No price is shown. {reason}</p>
}

/** False also if the visitor may not see figures of companies. */
function hasFigures(rows: AssetsAnswer['assets']['data']): boolean {
  return rows.some((row) => toAsset(row).stock?.latest_figures != null)
}

/** Parses `price` or `-price`; null for a text that is not an order. */
function parseOrder(text: string, columns: readonly OrderedColumn<AssetRow>[]): TableOrder | null {
  const isAscending = !text.startsWith('-')
  const sortName = isAscending ? text : text.slice(1)
  return columns.some((column) => column.sortName === sortName) ? { sortName, isAscending } : null
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
