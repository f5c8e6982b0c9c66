import { suggest } from '../../core/suggest.js'
import type { RequestContext } from '../../platform/request/request-context.js'

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
