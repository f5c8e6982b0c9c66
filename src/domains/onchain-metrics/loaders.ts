import { defineDayLoaders } from '../../platform/request/define-day-loaders.js'
import { readOnchainDays } from './store.js'

/** Figures of an asset, one row a day. */
export const { newestOf: newestDayOf, daysOf } = defineDayLoaders({
  read: readOnchainDays,
  keyOf: ({ assetId }) => assetId,
})
