import type { Database } from '../../platform/database/database.js'
import { fundProfileOf } from './funds-model.js'
import type { Fund } from './model.js'

/** Every ETF of the masters with its known facts, in the order of the asset key. */
export async function loadFunds({ prisma }: Pick<Database, 'prisma'>): Promise<readonly Fund[]> {
  const listings = await prisma.instrument.findMany({
    where: { isPrimary: true, asset: { assetClass: 'etf' } },
    select: { assetId: true, ticker: true, isin: true, cik: true, asset: { select: { slug: true } } },
    orderBy: [{ assetId: 'asc' }, { instrumentId: 'asc' }],
  })
  return listings.map(({ asset: { slug }, ...listing }) => ({ ...listing, slug, ...fundProfileOf(slug) }))
}
