import { useQuery } from '../client/use-query.js'
import { buildPriceQuery, type ChartedAsset, type ChartRange, FIRST_RANGE } from './price-series.js'

/** The range of a visitor who may see no hours of a crypto asset. */
const RANGE_OF_DAYS = '30'

/** The range that the head of the page and its chart show first. Both send the same request, which is sent once. */
export function useFirstRange(asset: ChartedAsset): ChartRange {
  const first = FIRST_RANGE[asset.asset_class]
  const { loaded } = useQuery(buildPriceQuery(asset, first))
  const lacksHours = loaded.state === 'failed' && loaded.error.code === 'forbidden'
  return asset.asset_class === 'crypto' && lacksHours ? RANGE_OF_DAYS : first
}
