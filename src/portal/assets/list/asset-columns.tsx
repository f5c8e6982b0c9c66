import type { JSX } from 'preact'
import { Change, changeSince } from '../../parts/change.js'
import { formatCompact, formatDay, formatInstant, formatPrice } from '../../parts/format.js'
import { Sparkline } from '../../parts/sparkline.js'
import type { OrderedColumn } from '../../parts/tables/ordered-table.js'
import { type AssetRow, type TrailingFigure, toTrend } from './asset-row.js'

type Column = OrderedColumn<AssetRow>

/** A consensus price of an hour is published within this time. */
const FRESH_MS = 2 * 3_600_000

const ASSET: Column = {
  name: 'Asset',
  cell: ({ slug, name, ticker }) => (
    <>
      <a href={`/assets/${slug}`}>{name}</a> <span class="quiet">{ticker}</span>
    </>
  ),
  sortName: 'name',
}

const PRICE_USD: Column = {
  name: 'Price, USD',
  isNumber: true,
  cell: (asset) => <LatePrice asset={asset} />,
  sortName: 'price',
}

/** A price, with its time if it is not of the last hours. */
function LatePrice({ asset: { price_changes, last_updated } }: { readonly asset: AssetRow }): JSX.Element {
  const { price } = price_changes
  const isLate = price !== null && Date.now() - Date.parse(last_updated) > FRESH_MS
  return (
    <>
      {formatPrice(price)}
      {isLate && <span class="quiet small"> {formatInstant(last_updated)}</span>}
    </>
  )
}

/** The newest price of any class, with its currency if that is not the dollar. */
const NEWEST_PRICE = {
  name: 'Price, USD',
  isNumber: true,
  cell: ({ commodity, price_changes: { price, currency } }: AssetRow) => (
    <>
      {currency !== 'USD' && <span class="quiet">{currency} </span>}
      {formatPrice(commodity?.price_usd ?? price)}
    </>
  ),
} satisfies Column

const CLOSE: Column = { ...NEWEST_PRICE, name: 'Last close, USD' }

const CLOSE_DAY: Column = {
  name: 'Day',
  isNumber: true,
  cell: ({ price_changes: { price_date } }) => (price_date === null ? '–' : formatDay(price_date)),
}

function toChangeColumn(name: string, member: 'change_1d' | 'change_7d'): Column {
  return {
    name,
    isNumber: true,
    cell: ({ price_changes }) => <Change fraction={price_changes[member]} reason={price_changes.reason} />,
  }
}

/** How much the price of the newest month differs from that of some months before. */
function toMonthsColumn(name: string, months: number): Column {
  return {
    name,
    isNumber: true,
    cell: (asset) => {
      const trend = toTrend(asset)
      return <Change fraction={changeSince(trend.at(-1 - months), trend.at(-1))} />
    },
  }
}

function toTrendColumn(name: string, span: string): Column {
  return {
    name,
    isNumber: true,
    cell: (asset) => <Sparkline values={toTrend(asset)} label={`Price of ${asset.name} over ${span}`} />,
  }
}

const WEEK_CHANGE = toChangeColumn('7 d', 'change_7d')
const MONTH_TREND = toTrendColumn('30 d', '30 days')

const VALUE: Column = {
  name: 'Value, USD',
  isNumber: true,
  cell: ({ market_cap_derived_usd }) => formatCompact(market_cap_derived_usd),
  sortName: 'market_cap',
}

const VOLUME: Column = {
  name: 'Volume 1 d, USD',
  isNumber: true,
  cell: ({ ohlcv }) => formatCompact(ohlcv?.candles.at(-1)?.volume_usd ?? null),
}

const TIER: Column = { name: 'Tier', isNumber: true, cell: ({ tier }) => tier ?? '–', sortName: 'tier' }

const CLASS: Column = { name: 'Class', cell: ({ asset_class }) => asset_class }

const DAY_CHANGE = toChangeColumn('1 d', 'change_1d')

const LISTED = [ASSET, CLOSE, DAY_CHANGE, WEEK_CHANGE, MONTH_TREND, CLOSE_DAY]

function toFigureColumn(name: string, figure: TrailingFigure) {
  return {
    name: `${name} 12 m, USD`,
    isNumber: true,
    cell: ({ stock }: AssetRow) => formatCompact(stock?.latest_figures?.[figure] ?? null),
    sortName: figure,
  } satisfies Column
}

/** The figures of a company by which the gateway sorts all stocks. */
const FIGURES = [toFigureColumn('Revenue', 'revenue_usd'), toFigureColumn('Net income', 'net_income_usd')]

/** Whether an order is one by a figure of a company. */
export function isFigureOrder(sortName: string): boolean {
  return FIGURES.some((column) => column.sortName === sortName)
}

const UNIT: Column = { name: 'Per', cell: ({ commodity }) => commodity?.unit ?? '–' }

const MONTH: Column = {
  name: 'Month',
  isNumber: true,
  cell: ({ commodity }) => commodity?.price_date.slice(0, 7) ?? '–',
}

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  all: [ASSET, { ...NEWEST_PRICE, sortName: 'price' }, DAY_CHANGE, WEEK_CHANGE, MONTH_TREND, VALUE, CLASS],
  crypto: [
    ASSET,
    PRICE_USD,
    toChangeColumn('24 h', 'change_1d'),
    WEEK_CHANGE,
    MONTH_TREND,
    VOLUME,
    VALUE,
    TIER,
  ],
  stock: LISTED,
  etf: LISTED,
  commodity: [
    ASSET,
    NEWEST_PRICE,
    toMonthsColumn('1 month', 1),
    toMonthsColumn('1 year', 12),
    toTrendColumn('12 months', '12 months'),
    MONTH,
    UNIT,
  ],
}

/** The columns of the list of a class. Figures sort all stocks; those that a filter finds are not sorted by them. */
export function listColumns(assetClass: string, figures: 'sorting' | 'shown' | 'hidden'): readonly Column[] {
  const columns = COLUMNS[assetClass] ?? []
  if (assetClass !== 'stock' || figures === 'hidden') return columns
  return [...columns, ...(figures === 'sorting' ? FIGURES : FIGURES.map(({ sortName, ...column }) => column))]
}

const CLOSE_NOTE = '1 d: against the close of the trading day before. Changes are adjusted for splits.'

/** What the changes compare, by class. */
export const CHANGE_NOTES: Readonly<Record<string, string>> = {
  all: '1 d: over 24 hours for crypto assets, otherwise against the close of the trading day before.',
  stock: CLOSE_NOTE,
  etf: CLOSE_NOTE,
  commodity: 'Prices are averages of a month.',
}
