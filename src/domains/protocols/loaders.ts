import { defineDayLoaders } from '../../platform/request/define-day-loaders.js'
import { loadFundamentals } from './fundamentals-store.js'

/** Fundamentals of an asset, one row per day. */
export const { newestOf: newestFundamentalsOf, daysOf: fundamentalsDaysOf } = defineDayLoaders({
  read: loadFundamentals,
  keyOf: ({ assetId }) => assetId,
})
