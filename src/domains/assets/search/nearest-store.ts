import { suggest } from '../../../core/suggest.js'
import type { PrismaModels } from '../../../platform/database/prisma/prisma-models.js'
import type { AssetClass } from '../model.js'

/** Most assets that the wrong names of one read are compared with. */
const MAX_COMPARED = 1_000

/** Letters at the beginning of a name that are taken as right. */
const TRUSTED_LETTERS = 2

/** An asset that a wrong name probably means. */
export interface NearestAsset {
  readonly slug: string
  readonly ticker: string
}

/**
 * The assets that wrong slugs probably mean, by the wrong text: the one with this ticker, or the one with the most similar
 * slug. A text that resembles no asset is not in the map.
 */
export async function loadNearestAssets(
  prisma: PrismaModels,
  texts: readonly string[],
): Promise<ReadonlyMap<string, NearestAsset>> {
  const assets = await prisma.asset.findMany({
    where: {
      OR: [
        { ticker: { in: texts.map((text) => text.toUpperCase()) } },
        ...texts.map((text) => ({ slug: { startsWith: text.toLowerCase().slice(0, TRUSTED_LETTERS) } })),
      ],
    },
    orderBy: [{ tier: { sort: 'asc', nulls: 'last' } }, { assetId: 'asc' }],
    select: { slug: true, ticker: true },
    take: MAX_COMPARED,
  })
  const slugs = assets.map(({ slug }) => slug)
  return foundBy(texts, String, (text) => {
    const slug = text.toLowerCase()
    const ticker = text.toUpperCase()
    const similar = suggest(slug, slugs)
    return (
      assets.find((one) => one.ticker === ticker || one.slug === slug) ??
      assets.find((one) => one.slug === similar) ??
      null
    )
  })
}

/** A wrong ticker, of one class or of any. */
export interface WrongTicker {
  readonly ticker: string
  readonly assetClass: AssetClass | null
}

export const wrongTickerText = ({ ticker, assetClass }: WrongTicker) => `${assetClass} ${ticker}`

/**
 * The tickers that wrong ones probably mean, by `wrongTickerText`. The first letter is taken as right. A ticker that resembles
 * no other is not in the map.
 */
export async function loadNearestTickers(
  prisma: PrismaModels,
  wrong: readonly WrongTicker[],
): Promise<ReadonlyMap<string, string>> {
  const assets = await prisma.asset.findMany({
    where: {
      OR: wrong.map(({ ticker, assetClass }) => ({
        ticker: { startsWith: ticker.slice(0, 1) },
        ...(assetClass === null ? {} : { assetClass }),
      })),
    },
    orderBy: { assetId: 'asc' },
    select: { ticker: true, assetClass: true },
    take: MAX_COMPARED,
  })
  return foundBy(wrong, wrongTickerText, ({ ticker, assetClass }) => {
    const ofClass = assets.filter((one) => assetClass === null || one.assetClass === assetClass)
    return suggest(
      ticker,
      ofClass.map((one) => one.ticker),
    )
  })
}

function foundBy<Key, Found>(
  keys: readonly Key[],
  keyText: (key: Key) => string,
  find: (key: Key) => Found | null,
): ReadonlyMap<string, Found> {
  return new Map(
    keys.flatMap((key) => {
      const found = find(key)
      return found === null ? [] : [[keyText(key), found] as const]
    }),
  )
}
