import { asOfText } from '../../core/as-of.js'
import { groupBy } from '../../core/group-by.js'
import { defineLoader } from '../../platform/request/loaders/define-loader.js'
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
const pageText = ({ from, to, limit, offset, asOf }: PriceRange) =>
  [from, to, limit, offset, asOfText(asOf)].join(' ')
const actionsText = ({ after, to, asOf }: ActionRange) => [after, to, asOfText(asOf)].join(' ')

/** A page of the prices of a listing. All listings with the same range share one statement. */
export const pricePage = defineLoader<PricedKey & PriceRange, PricePage>(
  async (keys, { database }) => {
    const found = new Map<string, PricePage>()
    for (const group of groupBy(keys, pageText).values()) {
      const pages = await loadPricePages(database, group, group[0])
      for (const [at, key] of group.entries())
        found.set(`${listingText(key)} ${pageText(key)}`, pages[at] as PricePage) // safe: one page per key
    }
    return found
  },
  (key) => `${listingText(key)} ${pageText(key)}`,
)

/** The actions behind the prices of a listing. All listings with the same range share one statement. */
export const priceActions = defineLoader<PricedKey & ActionRange, readonly StoredAction[]>(
  async (keys, { database }) => {
    const found = new Map<string, readonly StoredAction[]>()
    for (const group of groupBy(keys, actionsText).values()) {
      const actions = await loadPriceActions(database, group, group[0])
      for (const [at, key] of group.entries())
        found.set(`${listingText(key)} ${actionsText(key)}`, actions[at] ?? [])
    }
    return found
  },
  (key) => `${listingText(key)} ${actionsText(key)}`,
)

const closeAsOfText = ({ day, knownAt }: CloseAsOf) => `${day} ${asOfText(knownAt)}`
const closeText = (key: PricedKey & CloseAsOf) => `${listingText(key)} ${closeAsOfText(key)}`

/** The newest close of a listing, or null. All listings with the same day and instant share one statement. */
export const newestClose = defineLoader<PricedKey & CloseAsOf, NewestClose>(async (keys, { database }) => {
  const found = new Map<string, NewestClose>()
  for (const group of groupBy(keys, closeAsOfText).values()) {
    const closes = await loadNewestCloses(database, group, group[0])
    for (const [at, key] of group.entries()) {
      const close = closes[at]
      if (close != null) found.set(closeText(key), close)
    }
  }
  return found
}, closeText)
