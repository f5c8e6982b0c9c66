import { type DayRange, knownByText } from '../../core/day-range.js'
import { notFound } from '../../core/errors.js'
import type { Slug } from '../../core/identifiers.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { getAsset, notCrypto } from '../assets/service.js'
import { daysOf, newestDayOf } from './loaders.js'
import type { OnchainFigures } from './model.js'

/** On-chain figures of a day with the asset that they are of. */
export interface OnchainMetrics extends OnchainFigures {
  readonly asset: Asset
}

/** The figures of the newest day of an asset; 404 where there are none, and for assets that are no crypto assets. */
export async function getOnchainMetrics(
  slug: Slug,
  asOf: Date | null,
  context: RequestContext,
): Promise<OnchainMetrics> {
  const asset = await getAsset(slug, context)
  const { assetClass } = asset
  if (assetClass !== 'crypto') throw notCrypto({ ...asset, assetClass }, 'on-chain metrics')
  const metrics = await getOnchainMetricsOfAsset(asset, asOf, context)
  if (metrics === null) throw notFound(`No on-chain metrics of ${slug} were ingested ${knownByText(asOf)}.`)
  return metrics
}

/** The figures of the newest day; null where there are none. All assets of an answer are one statement. */
export async function getOnchainMetricsOfAsset(
  asset: Asset,
  asOf: Date | null,
  context: RequestContext,
): Promise<OnchainMetrics | null> {
  if (asset.assetClass !== 'crypto') return null
  const newest = await newestDayOf(asset.assetId, asOf, context)
  return newest && { ...newest, asset }
}

/** The figures of days, oldest first; all assets of an answer are one statement. */
export async function getOnchainHistory(
  { asset }: OnchainMetrics,
  range: DayRange,
  context: RequestContext,
): Promise<readonly OnchainMetrics[]> {
  const days = await daysOf(asset.assetId, range, context)
  return days.map((day) => ({ ...day, asset }))
}
