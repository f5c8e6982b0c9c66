import { suggest } from '../../../core/suggest.js'
import type { IsoDate } from '../../../core/time.js'
import { explainIsoDate, parseIsoDate } from '../../../core/time.js'
import type { AssetClass } from '../../../domains/assets/model.js'
import { listingsOnMarket } from '../../../domains/instruments/listed-symbols-model.js'
import type { Read } from '../../bodies/read.js'
import { quoted } from '../../feed.js'
import type { TableRow } from './table.js'

/** The members of a listing that a line about a stock or an ETF needs. */
export interface NamedListing {
  readonly assetId: number
  readonly ticker: string
  readonly mic: string | null
  /** As a list names it. Null or undefined if no list names it. */
  readonly exchange?: string | null
  readonly assetClass: AssetClass
}

/** The stocks and ETFs of the masters by ticker. */
export type ListedByTicker = ReadonlyMap<string, readonly NamedListing[]>

export function listedByTicker(listings: readonly NamedListing[]): ListedByTicker {
  const byTicker = new Map<string, NamedListing[]>()
  for (const listing of listings) {
    if (listing.assetClass !== 'stock' && listing.assetClass !== 'etf') continue
    byTicker.set(listing.ticker, [...(byTicker.get(listing.ticker) ?? []), listing])
  }
  return byTicker
}

/** The stock or ETF of a line by `ticker`, and by `mic` if several markets list it. */
export function readListed(row: TableRow, stocks: ListedByTicker): Read<NamedListing> {
  const ticker = (row.cell('ticker') ?? '').toUpperCase()
  const mic = (row.cell('mic') ?? '').toUpperCase()
  const all = stocks.get(ticker) ?? []
  const named = mic === '' ? all : listingsOnMarket(all, mic)
  const [listing] = named
  if (listing === undefined) {
    const likely = all.length > 0 ? null : suggest(ticker, [...stocks.keys()])
    const where = all.length > 0 ? ` on ${quoted(mic)}; it is on ${marketsOf(all)}` : ''
    return {
      wrong: `stock or ETF ${quoted(ticker)} does not exist${where}${likely === null ? '' : `; did you mean ${likely}?`}`,
    }
  }
  if (named.length > 1) return { wrong: `${ticker} needs a mic: it is on ${marketsOf(named)}` }
  return { value: listing }
}

function marketsOf(listings: readonly NamedListing[]): string {
  return listings.map(({ mic, exchange }) => mic ?? exchange ?? 'no market').join(', ')
}

/** A day; null for an empty cell. */
export function readDay(row: TableRow, name: string): Read<IsoDate | null> {
  const cell = row.cell(name) ?? ''
  if (cell === '') return { value: null }
  const value = parseIsoDate(cell)
  return value === null ? { wrong: `${name} ${quoted(cell)} ${explainIsoDate(cell)}` } : { value }
}

/** Whether the line withdraws its row. */
export function readWithdrawn(row: TableRow): Read<boolean> {
  const cell = row.cell('withdrawn') ?? ''
  if (cell === '' || cell === 'no') return { value: false }
  return cell === 'yes' ? { value: true } : { wrong: `withdrawn ${quoted(cell)} must be yes, no or empty` }
}
