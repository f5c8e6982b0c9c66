import { suggest } from '../../core/suggest.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { AssetClass } from '../assets/model.js'

/** Most tickers that one wrong ticker is compared with. */
const MAX_COMPARED = 1_000

/**
 * The ticker, of one class or of any, that a wrong one probably means. The first letter is taken as right. Null if none is
 * similar.
 */
export async function findNearestTicker(
  ticker: string,
  assetClass: AssetClass | null,
  { database }: RequestContext,
): Promise<string | null> {
  const listings = await database.prisma.instrument.findMany({
    where: {
      ticker: { startsWith: ticker.slice(0, 1) },
      ...(assetClass === null ? {} : { asset: { assetClass } }),
    },
    orderBy: [{ assetId: 'asc' }, { instrumentId: 'asc' }],
    select: { ticker: true },
    take: MAX_COMPARED,
  })
  return suggest(
    ticker,
    listings.map((listing) => listing.ticker),
  )
}
