import { toIsoDate } from '../../../core/time.js'
import type { Known } from '../../../platform/bi-temporal/series-table.js'
import type { Transaction } from '../../../platform/database/database.js'
import type { WrittenMasters } from '../listed-masters-store.js'
import { loadMasters, writeInSlices } from '../masters/masters-store.js'
import { toListedCoins } from './coin-listings-model.js'
import { loadCoinListings } from './coin-listings-store.js'
import { planCoinMasters } from './coin-masters-model.js'

/**
 * Makes assets of the coins that the stored lists have now; see `planCoinMasters`. A coin that no list has any more is kept,
 * without pairs. `currencies`: codes of ISO 4217, which are no coins.
 */
export async function writeCoinMasters(
  tx: Transaction,
  known: Known,
  currencies: ReadonlySet<string>,
): Promise<WrittenMasters> {
  const coins = toListedCoins(await loadCoinListings(tx))
  const plan = planCoinMasters({
    coins,
    masters: await loadMasters(tx),
    excluded: await tx.prisma.excludedListing.findMany(),
    currencies,
    source: known.source,
    day: toIsoDate(known.knownAt),
  })
  await writeInSlices(tx, plan.written, known)
  // The lists still have every coin that has not ended.
  await tx.prisma.asset.updateMany({
    where: { source: known.source, instruments: { none: { inactiveSince: { not: null } } } },
    data: { lastUpdated: known.knownAt },
  })
  return { changed: plan.written.length, renamedAssetIds: plan.renamed, refused: plan.refused }
}
