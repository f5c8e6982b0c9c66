import { type Given, shownText } from '../../core/argument-parsers.js'
import { type ApiError, notFound } from '../../core/errors.js'
import { type FreshnessKind, freshnessKindOfTier } from '../../core/freshness.js'
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
import { didYouMean, suggest } from '../../core/suggest.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { assetBySlug } from './loaders.js'
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

/** What operations take as the name of an asset. Only a slug matches an asset. For a ticker, the 404 names the asset that was probably meant. */
export type AssetName = Slug | Ticker

const SLUGS_LOOK_LIKE = 'Slugs are lower-case names such as bitcoin.'

/** The name of an asset. Text that is neither a slug nor a ticker is a 404. */
export function parseAssetId(id: string): AssetName {
  const name = parseSlug(id) ?? parseTicker(id)
  if (name === null) throw notFound(`No asset has the slug ${shownText(id)}. ${SLUGS_LOOK_LIKE}`)
  return name
}

/** The asset with this slug, or a 404. */
export async function getAsset(slug: AssetName, context: RequestContext): Promise<Asset> {
  const asset = await assetBySlug(context).load(slug)
  if (!asset) throw await unknownAsset(slug, context)
  return asset
}

/** The 404 for an unknown asset. It names the nearest asset. If the text may be a ticker, it says how to get its slug. */
export async function unknownAsset(id: AssetName, context: RequestContext): Promise<ApiError> {
  const near = await findNearestAsset(id, context)
  const hint = near === null ? `. ${SLUGS_LOOK_LIKE}` : didYouMean(`${near.slug} (${near.ticker})`)
  const none = `No asset has the slug ${shownText(id)}${hint}`
  const ticker = parseTicker(id)
  if (ticker === null) return notFound(none)
  return notFound(
    (name) => `${none} To get the slug of the ticker ${ticker}, use ${name('discover', { ticker })}.`,
  )
}

/** Most assets that one wrong name is compared with. */
const MAX_COMPARED = 1_000

/** Letters at the beginning of a name that are taken as right. */
const TRUSTED_LETTERS = 2

/** The asset that a wrong slug probably means: the one with this ticker, or the one with the most similar slug. Null if none is similar. */
export async function findNearestAsset(
  text: string,
  { database }: RequestContext,
): Promise<{ readonly slug: string; readonly ticker: string } | null> {
  const slug = text.toLowerCase()
  const ticker = text.toUpperCase()
  const similar = await database.prisma.asset.findMany({
    where: { OR: [{ ticker }, { slug: { startsWith: slug.slice(0, TRUSTED_LETTERS) } }] },
    orderBy: [{ tier: { sort: 'asc', nulls: 'last' } }, { assetId: 'asc' }],
    select: { slug: true, ticker: true },
    take: MAX_COMPARED,
  })
  const near = suggest(
    slug,
    similar.map((one) => one.slug),
  )
  return (
    similar.find((one) => one.ticker === ticker || one.slug === slug) ??
    similar.find((one) => one.slug === near) ??
    null
  )
}

/** The ticker, of one class or of any, that a wrong one probably means. The first letter is taken as right. Null if none is similar. */
export async function findNearestTicker(
  ticker: string,
  assetClass: AssetClass | null,
  { database }: RequestContext,
): Promise<string | null> {
  const similar = await database.prisma.asset.findMany({
    where: { ticker: { startsWith: ticker.slice(0, 1) }, ...(assetClass === null ? {} : { assetClass }) },
    orderBy: { assetId: 'asc' },
    select: { ticker: true },
    take: MAX_COMPARED,
  })
  return suggest(
    ticker,
    similar.map((one) => one.ticker),
  )
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
export function freshnessKindOf(assets: readonly Pick<Asset, 'tier'>[]): FreshnessKind {
  const tiers = assets.map((asset) => asset.tier).filter((tier) => tier !== null)
  return freshnessKindOfTier(tiers.length > 0 ? Math.min(...tiers) : null)
}
