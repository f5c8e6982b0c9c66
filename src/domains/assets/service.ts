import { type Given, shownText } from '../../core/argument-parsers.js'
import { type ApiError, notFound } from '../../core/errors.js'
import { freshnessKindOfTier, type RefreshedKind } from '../../core/freshness.js'
import {
  explainMic,
  parseMic,
  parseSlug,
  parseTicker,
  type Slug,
  type Ticker,
} from '../../core/identifiers.js'
import type { OffsetPage } from '../../core/page.js'
import type { Problems } from '../../core/problems.js'
import { didYouMean } from '../../core/suggest.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { assetBySlug, nearestAsset, nearestTicker } from './loaders.js'
import type { AssetClass, AssetFilter } from './model.js'

export interface AssetListQuery {
  readonly filter: AssetFilter
  readonly page: OffsetPage
}

/** Reads the filters of a list and adds a problem for each wrong one. */
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

const SLUGS_LOOK_LIKE = 'Slugs are lower-case names such as bitcoin.'

/** The slug of an asset. Any other text is a 404; for a possible ticker it names the asset that was probably meant. */
export async function parseAssetId(id: string, context: RequestContext): Promise<Slug> {
  const slug = parseSlug(id)
  if (slug !== null) return slug
  const ticker = parseTicker(id)
  throw ticker === null
    ? notFound(`No asset has the slug ${shownText(id)}. ${SLUGS_LOOK_LIKE}`)
    : await unknownAsset(ticker, context)
}

/** The asset with this slug, or a 404. */
export async function getAsset(slug: Slug, context: RequestContext): Promise<Asset> {
  const asset = await assetBySlug(context).load(slug)
  if (!asset) throw await unknownAsset(slug, context)
  return asset
}

/** The 404 for an unknown asset. It names the nearest asset. If the text may be a ticker, it says how to get its slug. */
export async function unknownAsset(id: Slug | Ticker, context: RequestContext): Promise<ApiError> {
  const near = await findNearestAsset(id, context)
  const hint = near === null ? `. ${SLUGS_LOOK_LIKE}` : didYouMean(near)
  const none = `No asset has the slug ${shownText(id)}${hint}`
  const ticker = parseTicker(id)
  if (ticker === null) return notFound(none)
  return notFound(
    (name) => `${none} To get the slug of the ticker ${ticker}, use ${name('discover', { ticker })}.`,
  )
}

/** The ticker, of one class or of any, that a wrong one probably means. Null if none is similar. */
export function findNearestTicker(
  ticker: string,
  assetClass: AssetClass | null,
  context: RequestContext,
): Promise<string | null> {
  return nearestTicker(context).load({ ticker, assetClass })
}

/** The asset that a wrong name probably means, as "bitcoin (BTC)". Null if none is similar. */
export async function findNearestAsset(text: string, context: RequestContext): Promise<string | null> {
  const near = await nearestAsset(context).load(text)
  return near && `${near.slug} (${near.ticker})`
}

/** By class, the argument that names an asset in the operations for stocks, ETFs and commodities. */
const TICKER_ARGUMENTS = { stock: 'ticker', etf: 'ticker', commodity: 'symbol' } as const

/** The 404 for figures that only crypto assets have. It names the operation with the figures of the asset's own class. */
export function notCrypto(
  { slug, ticker, assetClass }: Asset & { readonly assetClass: Exclude<AssetClass, 'crypto'> },
  figures: string,
  stockOperation = 'stock',
) {
  const operation = assetClass === 'stock' ? stockOperation : assetClass
  const given = { [TICKER_ARGUMENTS[assetClass]]: ticker }
  return notFound(
    (name) =>
      `${slug} is not a crypto asset. Only crypto assets have ${figures}. Use ${name(operation, given)} instead.`,
  )
}

/** The freshness of a list follows its most demanding tier. */
export function freshnessKindOf(assets: readonly Pick<Asset, 'tier'>[]): RefreshedKind {
  const tiers = assets.map((asset) => asset.tier).filter((tier) => tier !== null)
  return freshnessKindOfTier(tiers.length > 0 ? Math.min(...tiers) : null)
}
