import type { AsOf } from '../../core/as-of.js'
import { type DayRange, knownByText } from '../../core/day-range.js'
import { notFound } from '../../core/errors.js'
import type { Slug } from '../../core/identifiers.js'
import type { Asset } from '../../generated/prisma/client.js'
import { defineDayLoaders } from '../../platform/request/loaders/define-day-loaders.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { getAsset, notCrypto } from '../assets/service.js'
import { loadFundamentals } from './fundamentals-store.js'
import type { FundamentalsFigures } from './model.js'

/** Fundamentals of an asset, one row per day. */
const { newestOf: newestFundamentalsOf, daysOf: fundamentalsDaysOf } = defineDayLoaders({
  read: loadFundamentals,
  keyOf: ({ assetId }) => assetId,
})

/** Fundamentals of a day with their asset. */
export interface ProtocolFundamentals extends FundamentalsFigures {
  readonly asset: Asset
}

/** The fundamentals of the newest day of an asset. Without any it is a 404, as for assets of other classes. */
export async function getProtocolFundamentals(
  slug: Slug,
  asOf: AsOf | null,
  context: RequestContext,
): Promise<ProtocolFundamentals> {
  const asset = await getAsset(slug, context)
  const { assetClass } = asset
  if (assetClass !== 'crypto')
    throw notCrypto({ ...asset, assetClass }, 'fundamentals by the fees of protocols', 'stock_fundamentals')
  const fundamentals = await getProtocolFundamentalsOfAsset(asset, asOf, context)
  if (fundamentals !== null) return fundamentals
  throw notFound(
    `${slug} has no fundamentals, because no fees of its protocols or chains were ingested ${knownByText(asOf)}.`,
  )
}

/** The fundamentals of the newest day, or null. All assets of a response share one statement. */
export async function getProtocolFundamentalsOfAsset(
  asset: Asset,
  asOf: AsOf | null,
  context: RequestContext,
): Promise<ProtocolFundamentals | null> {
  if (asset.assetClass !== 'crypto') return null
  const newest = await newestFundamentalsOf(asset.assetId, asOf, context)
  return newest && { ...newest, asset }
}

/** The fundamentals of several days, oldest first. All assets of a response share one statement. */
export async function getFundamentalsHistory(
  { asset }: ProtocolFundamentals,
  range: DayRange,
  context: RequestContext,
): Promise<readonly ProtocolFundamentals[]> {
  const days = await fundamentalsDaysOf(asset.assetId, range, context)
  return days.map((day) => ({ ...day, asset }))
}
