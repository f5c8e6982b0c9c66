import { groupBy } from '../../../core/group-by.js'
import { suggest } from '../../../core/suggest.js'
import type { AssetClass } from '../../../domains/assets/model.js'
import { listingsOnMarket } from '../../../domains/instruments/symbols/listed-symbols-model.js'
import type { Read } from '../../bodies/read.js'
import { quoted } from '../../feed.js'
import { type OwnColumn, ownColumn, type TableRow } from './columns.js'

/** The members of a listing by which a line about a stock or an ETF finds it. */
interface Listing {
  readonly ticker: string
  readonly mic: string | null
  /** As a list names it. Null or undefined if no list names it. */
  readonly exchange?: string | null
}

export interface NamedListing extends Listing {
  readonly assetId: number
  readonly assetClass: AssetClass
}

export type ByTicker<One> = ReadonlyMap<string, readonly One[]>

/** The stocks and ETFs among the listings by ticker. */
export function listedByTicker(listings: readonly NamedListing[]): ByTicker<NamedListing> {
  return groupBy(
    listings.filter(({ assetClass }) => assetClass === 'stock' || assetClass === 'etf'),
    ({ ticker }) => ticker,
  )
}

const MIC_TEXT = 'code of the market; empty: the only one that lists the ticker'

/**
 * The columns that name the stock or ETF of a line: `ticker`, and `mic` if several markets list it. `hasMic`: the header must have
 * it.
 */
export function tickerColumns<One extends Listing>({ hasMic = false } = {}) {
  return {
    listing: {
      name: 'ticker',
      text: 'of a stock or an ETF',
      isRequired: true,
      read: readListed<One>,
    } satisfies OwnColumn<One, ByTicker<One>>,
    mic: ownColumn('mic', MIC_TEXT, (cell) => ({ value: cell }), hasMic),
  }
}

function readListed<One extends Listing>(row: TableRow, listings: ByTicker<One>): Read<One> {
  const ticker = (row.cell('ticker') ?? '').toUpperCase()
  const mic = (row.cell('mic') ?? '').toUpperCase()
  const all = listings.get(ticker) ?? []
  const named = mic === '' ? all : listingsOnMarket(all, mic)
  const [listing] = named
  if (listing === undefined) {
    const likely = all.length > 0 ? null : suggest(ticker, [...listings.keys()])
    const where = all.length > 0 ? ` on ${quoted(mic)}; it is on ${marketsOf(all)}` : ''
    return {
      wrong: `stock or ETF ${quoted(ticker)} does not exist${where}${likely === null ? '' : `; did you mean ${likely}?`}`,
    }
  }
  if (named.length > 1) return { wrong: `${ticker} needs a mic: it is on ${marketsOf(named)}` }
  return { value: listing }
}

function marketsOf(listings: readonly Listing[]): string {
  return listings.map(({ mic, exchange }) => mic ?? exchange ?? 'no market').join(', ')
}
