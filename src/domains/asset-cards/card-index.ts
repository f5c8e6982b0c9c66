import { memoizeByVersion } from '../../platform/request/memoize-by-version.js'
import type { AssetFilter } from '../assets/model.js'
import { type CardIndex, loadCardIndex } from './store.js'

/** The outline of what matches a filter, read once per version of the dataset: counting reads all of it. */
export const cardIndexByFilter = memoizeByVersion<AssetFilter, CardIndex>({
  datasetsOf: () => ['instruments'],
  keyText: ({ tier, assetClass, mic }) => `${tier} ${assetClass} ${mic}`,
  // More than there are classes, tiers and markets together; a caller may make up names of markets.
  max: 500,
  read: (filter, sql) => loadCardIndex(sql, filter),
})
