import { defineDayLoaders } from '../../platform/request/define-day-loaders.js'
import { readFundamentals } from './fundamentals-store.js'

/** Fundamentals of an asset, one row a day. */
export const { newestOf: newestFundamentalsOf, daysOf: fundamentalsDaysOf } = defineDayLoaders({
  read: readFundamentals,
  keyOf: ({ assetId }) => assetId,
})
