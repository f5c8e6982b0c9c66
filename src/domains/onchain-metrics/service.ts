import type { AsOf } from '../../core/as-of.js'
import { type DayRange, knownByText } from '../../core/day-range.js'
import { notFound } from '../../core/errors.js'
import type { Slug } from '../../core/identifiers.js'
import type { Asset } from '../../generated/prisma/client.js'
import { defineDayLoaders } from '../../platform/request/loaders/define-day-loaders.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { getAsset, notCrypto } from '../assets/service.js'
import type { OnchainFigures } from './model.js'
import { loadOnchainDays } from './store.js'

/** Figures of an asset, one row per day. */
const { newestOf: newestDayOf, daysOf } = defineDayLoaders({
  read: loadOnchainDays,
  keyOf: ({ assetId }) => assetId,
})

/** On-chain figures of a day with their asset. */
export interface OnchainMetrics extends OnchainFigures {
  readonly asset: Asset
}

/** The figures of the newest day of an asset. Without figures it is a 404, as for assets of other classes. */
export async function getOnchainMetrics(
  slug: Slug,
  asOf: AsOf | null,
  context: RequestContext,
): Promise<OnchainMetrics> {
  const asset = await getAsset(slug, context)
  const { assetClass } = asset
  if (assetClass !== 'crypto') throw notCrypto({ ...asset, assetClass }, 'on-chain metrics')
  const metrics = await getOnchainMetricsOfAsset(asset, asOf, context)
  if (metrics === null) throw notFound(`No on-chain metrics of ${slug} were ingested ${knownByText(asOf)}.`)
  return metrics
}

/** The figures of the newest day, or null. All assets of a response share one statement. */
export async function getOnchainMetricsOfAsset(
  asset: Asset,
  asOf: AsOf | null,
  context: RequestContext,
): Promise<OnchainMetrics | null> {
  if (asset.assetClass !== 'crypto') return null
  const newest = await newestDayOf(asset.assetId, asOf, context)
  return newest && { ...newest, asset }
}

/** The figures of several days, oldest first. All assets of a response share one statement. */
export async function getOnchainHistory(
  { asset }: OnchainMetrics,
  range: DayRange,
  context: RequestContext,
): Promise<readonly OnchainMetrics[]> {
  const days = await daysOf(asset.assetId, range, context)
  return days.map((day) => ({ ...day, asset }))
}
