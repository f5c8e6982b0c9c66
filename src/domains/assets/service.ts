import type { Given } from '../../core/argument-parsers.js'
import { notFound } from '../../core/errors.js'
import { type FreshnessKind, freshnessKindOfTier } from '../../core/freshness.js'
import { explainMic, parseMic, parseSlug, parseTicker, type Slug } from '../../core/identifiers.js'
import type { OffsetPage } from '../../core/page.js'
import type { Problems } from '../../core/problems.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { assetBySlug } from './loaders.js'
import type { AssetClass, AssetFilter } from './model.js'

export interface AssetListQuery {
  readonly filter: AssetFilter
  readonly page: OffsetPage
}

/** What a list is narrowed to; notes what is wrong. */
export function parseAssetFilter(
  args: {
    readonly tier?: Given<number>
    readonly mic?: Given<string>
    readonly asset_class?: Given<AssetClass>
  },
  problems: Problems,
): AssetFilter {
  const tier = args.tier ?? null
  if (tier !== null && ![1, 2, 3].includes(tier)) problems.add('tier', `must be 1, 2 or 3; got ${tier}`)
  const mic = args.mic == null ? null : parseMic(args.mic)
  if (args.mic != null && mic === null) {
    problems.add('mic', explainMic(args.mic) ?? 'must be a market identifier code')
  }
  return { tier, mic, assetClass: args.asset_class ?? null }
}

/** A slug, or a 404 that says what to ask instead: a ticker is the usual mistake. */
export function parseAssetId(id: string): Slug {
  const slug = parseSlug(id)
  if (slug === null) throw unknownAsset(id)
  return slug
}

/** The asset of a slug; 404 where there is none. */
export async function getAsset(slug: Slug, context: RequestContext): Promise<Asset> {
  const asset = await assetBySlug(context).load(slug)
  if (!asset) throw unknownAsset(slug)
  return asset
}

/** The 404 of an asset that is not there; of what may be a ticker it says where to look. */
export function unknownAsset(id: string) {
  const ticker = parseTicker(id)
  const none = `No asset has the slug ${JSON.stringify(id.slice(0, 64))}; slugs are lower-case names such as bitcoin.`
  if (ticker === null) return notFound(none)
  return notFound(
    (name) => `${none} If ${ticker} is a ticker, ${name('discover', { ticker })} names its slug.`,
  )
}

/** The argument that names an asset of each class that is no crypto asset, in the operations with its own facts. */
const TICKER_ARGUMENTS = { stock: 'ticker', etf: 'ticker', commodity: 'symbol' } as const

/** The 404 of figures that crypto assets alone have, for an asset of another class: it says where that has its own. */
export function onlyOfCrypto(
  { slug, ticker, assetClass }: Asset & { readonly assetClass: Exclude<AssetClass, 'crypto'> },
  figures: string,
  stockOperation = 'stock',
) {
  const operation = assetClass === 'stock' ? stockOperation : assetClass
  const given = { [TICKER_ARGUMENTS[assetClass]]: ticker }
  return notFound(
    (name) =>
      `${slug} is no crypto asset, and crypto assets alone have ${figures}; see ${name(operation, given)}.`,
  )
}

/** Freshness of a list is that of its most demanding tier. */
export function freshnessKindOf(assets: readonly Pick<Asset, 'tier'>[]): FreshnessKind {
  const tiers = assets.map((asset) => asset.tier).filter((tier) => tier !== null)
  return freshnessKindOfTier(tiers.length > 0 ? Math.min(...tiers) : null)
}
