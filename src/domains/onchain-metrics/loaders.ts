import { defineDayLoaders } from '../../platform/request/define-day-loaders.js'
import { loadOnchainDays } from './store.js'

/** Figures of an asset, one row per day. */
export const { newestOf: newestDayOf, daysOf } = defineDayLoaders({
  read: loadOnchainDays,
  keyOf: ({ assetId }) => assetId,
})
