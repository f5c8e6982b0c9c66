import { toIsoDate } from '../../core/time.js'
import type { Known } from '../../platform/bi-temporal/series-table.js'
import type { Transaction } from '../../platform/database/database.js'
import { loadRegistrants } from './funds/fund-classes-store.js'
import { type CikChange, toCikRows } from './identifiers/identifier-periods.js'
import { writeIdentifiers } from './identifiers/identifiers-store.js'
import { type ListedHolder, toCompanyLines } from './masters/listed-companies.js'
import { planListedMasters } from './masters/listed-masters-model.js'
import { loadMasters, writeInSlices } from './masters/masters-store.js'
import type { RefusedLine } from './masters/stored-master-model.js'

const UPDATE_CIKS = `update instrument as i set cik = n.cik from unnest($1::int[], $2::text[]) as n(asset_id, cik)
  where i.asset_id = n.asset_id and i.is_primary`

export interface WrittenMasters {
  /** New and changed assets, including those that the list no longer has. */
  readonly changed: number
  readonly renamedAssetIds: readonly number[]
  readonly refused: readonly RefusedLine[]
}

/**
 * Makes assets of the tickers that the SEC's lists have now, in the order of the list; see `planListedMasters`. An asset that the list no longer has is
 * kept, with its last day and without a market. Assets of the sources in `yieldsTo` keep their CIK.
 */
export async function writeListedMasters(
  tx: Transaction,
  listed: readonly ListedHolder[],
  known: Known,
  yieldsTo: readonly string[],
): Promise<WrittenMasters> {
  const day = toIsoDate(known.knownAt)
  const lines = toCompanyLines(listed)
  const masters = await loadMasters(tx)
  const registrants = await loadRegistrants(tx)
  const plan = planListedMasters({ lines, masters, registrants, source: known.source, yieldsTo, day })
  // Assets exchange tickers and markets within one list, and no two may have the same at any time.
  await tx.prisma.instrument.updateMany({
    where: { instrumentId: { in: [...plan.moved] } },
    data: { mic: null },
  })
  await writeInSlices(tx, plan.written, known)
  await writeCikChanges(
    tx,
    plan.succeeded.map((change) => ({ ...change, day })),
    known,
  )
  const listing = { inactiveSince: null, cik: { not: null } }
  await tx.prisma.asset.updateMany({
    where: { source: known.source, lastUpdated: { lt: known.knownAt }, instruments: { some: listing } },
    data: { lastUpdated: known.knownAt },
  })
  return {
    changed: plan.written.length + plan.succeeded.length,
    renamedAssetIds: plan.renamed,
    refused: plan.refused,
  }
}

/** Gives assets the CIKs of the companies that succeeded theirs. The former CIK ends on that day. */
async function writeCikChanges(tx: Transaction, changes: readonly CikChange[], known: Known): Promise<void> {
  if (changes.length === 0) return
  await tx.rows(UPDATE_CIKS, [changes.map(({ assetId }) => assetId), changes.map(({ cik }) => cik)])
  await writeIdentifiers(tx, changes.flatMap(toCikRows), known)
}
