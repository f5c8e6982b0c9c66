import { toIsoDate } from '../../../core/time.js'
import type { Known } from '../../../platform/bi-temporal/series-table.js'
import type { Transaction } from '../../../platform/database/database.js'
import type { WrittenMasters } from '../listed-masters-store.js'
import { loadMasters, writeInSlices } from '../masters/masters-store.js'
import { loadFundClasses } from './fund-classes-store.js'
import { planListedFunds } from './listed-funds-model.js'

const LINK = `update fund_class as f set asset_id = n.asset_id from unnest($1::text[], $2::int[]) as n(class_id, asset_id)
  where f.class_id = n.class_id`
const CONFIRM = `update asset as a set last_updated = $2 from fund_class as f, instrument as i
  where a.source = $1 and f.asset_id = a.asset_id and f.unlisted_on is null and i.instrument_id = a.asset_id and i.cik is null
    and a.last_updated < $2`

/**
 * Makes ETFs of the classes that the SEC's list of funds has now; see `planListedFunds`. An ETF that the list no longer has is
 * kept, with its last day.
 */
export async function writeListedFunds(tx: Transaction, known: Known): Promise<WrittenMasters> {
  const day = toIsoDate(known.knownAt)
  const classes = await loadFundClasses(tx)
  const masters = await loadMasters(tx)
  const plan = planListedFunds({ classes, masters, source: known.source, day })
  await writeInSlices(tx, plan.written, known)
  const assetIds = plan.linked.map(({ assetId }) => assetId)
  // An asset has one class.
  await tx.prisma.fundClass.updateMany({ where: { assetId: { in: assetIds } }, data: { assetId: null } })
  await tx.rows(LINK, [plan.linked.map(({ classId }) => classId), assetIds])
  await tx.rows(CONFIRM, [known.source, known.knownAt])
  return { changed: plan.written.length, renamedAssetIds: plan.renamed, refused: plan.refused }
}
