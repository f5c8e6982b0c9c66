import { oncePerVersion } from '../../platform/request/per-version.js'
import type { AssetFilter } from '../assets/model.js'
import { type CardOutline, readCardOutline } from './store.js'

/** The outline of what matches a filter, read once per version of the dataset: counting reads all of it. */
export const cardOutlineOf = oncePerVersion<AssetFilter, CardOutline>({
  datasetsOf: () => ['instruments'],
  keyText: ({ tier, assetClass, mic }) => `${tier} ${assetClass} ${mic}`,
  // More than there are classes, tiers and markets together; a caller may make up names of markets.
  max: 500,
  read: (filter, sql) => readCardOutline(sql, filter),
})
