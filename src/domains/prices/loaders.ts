import { asOfText } from '../../core/as-of.js'
import { defineGroupedLoader } from '../../platform/request/loaders/define-loader.js'
import { type CloseAsOf, loadNewestCloses, type NewestClose } from './newest-close-store.js'
import {
  type ActionRange,
  loadPriceActions,
  loadPricePages,
  type PricedKey,
  type PricePage,
  type PriceRange,
  type StoredAction,
} from './series-store.js'

const listingText = ({ assetId, ticker, mic }: PricedKey) => [assetId, ticker, mic].join(' ')

/** A page of the prices of a listing. All listings with the same range share one statement. */
export const pricePage = defineGroupedLoader<PricedKey & PriceRange, PricePage>({
  groupText: ({ from, to, limit, offset, asOf }) => [from, to, limit, offset, asOfText(asOf)].join(' '),
  itemText: listingText,
  load: (keys, { database }) => loadPricePages(database, keys, keys[0]),
})

/** The actions behind the prices of a listing. All listings with the same range share one statement. */
export const priceActions = defineGroupedLoader<PricedKey & ActionRange, readonly StoredAction[]>({
  groupText: ({ after, to, asOf }) => [after, to, asOfText(asOf)].join(' '),
  itemText: listingText,
  load: (keys, { database }) => loadPriceActions(database, keys, keys[0]),
})

/** The newest close of a listing, or null. All listings with the same day and instant share one statement. */
export const newestClose = defineGroupedLoader<PricedKey & CloseAsOf, NewestClose>({
  groupText: ({ day, knownAt }) => `${day} ${asOfText(knownAt)}`,
  itemText: listingText,
  load: (keys, { database }) => loadNewestCloses(database, keys, keys[0]),
})
