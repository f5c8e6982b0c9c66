import { memoizeByVersion } from '../../platform/request/memoize-by-version.js'
import type { AssetFilter } from '../assets/model.js'
import { type CardIndex, loadCardIndex } from './store.js'

/** The index of the cards that match a filter. It reads every match, so it is loaded once per version of the dataset. */
export const cardIndexByFilter = memoizeByVersion<AssetFilter, CardIndex>({
  datasetsOf: () => ['instruments'],
  keyText: ({ tier, assetClass, mic }) => `${tier} ${assetClass} ${mic}`,
  // More than all combinations of classes, tiers and markets in use. The bound exists because callers can invent markets.
  max: 500,
  read: (filter, sql) => loadCardIndex(sql, filter),
})
