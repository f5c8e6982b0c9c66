import { type DayRange, knownByText } from '../../core/day-range.js'
import { notFound } from '../../core/errors.js'
import type { Slug } from '../../core/identifiers.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { getAsset, notCrypto } from '../assets/service.js'
import { fundamentalsDaysOf, newestFundamentalsOf } from './loaders.js'
import type { FundamentalsFigures } from './model.js'

/** Fundamentals of a day with the asset that they are of. */
export interface ProtocolFundamentals extends FundamentalsFigures {
  readonly asset: Asset
}

/** The fundamentals of the newest day of an asset; 404 where there are none, and for assets that are no crypto assets. */
export async function getProtocolFundamentals(
  slug: Slug,
  asOf: Date | null,
  context: RequestContext,
): Promise<ProtocolFundamentals> {
  const asset = await getAsset(slug, context)
  const { assetClass } = asset
  if (assetClass !== 'crypto')
    throw notCrypto({ ...asset, assetClass }, 'fundamentals by the fees of protocols', 'stock_fundamentals')
  const fundamentals = await getProtocolFundamentalsOfAsset(asset, asOf, context)
  if (fundamentals !== null) return fundamentals
  throw notFound(
    `No fundamentals of ${slug} are there: no fees of a protocol or chain of its own were ingested ${knownByText(asOf)}.`,
  )
}

/** The fundamentals of the newest day; null where there are none. All assets of an answer are one statement. */
export async function getProtocolFundamentalsOfAsset(
  asset: Asset,
  asOf: Date | null,
  context: RequestContext,
): Promise<ProtocolFundamentals | null> {
  if (asset.assetClass !== 'crypto') return null
  const newest = await newestFundamentalsOf(asset.assetId, asOf, context)
  return newest && { ...newest, asset }
}

/** The fundamentals of days, oldest first; all assets of an answer are one statement. */
export async function getFundamentalsHistory(
  { asset }: ProtocolFundamentals,
  range: DayRange,
  context: RequestContext,
): Promise<readonly ProtocolFundamentals[]> {
  const days = await fundamentalsDaysOf(asset.assetId, range, context)
  return days.map((day) => ({ ...day, asset }))
}
