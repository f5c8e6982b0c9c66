import { invalid, notFound } from '../../core/errors.js'
import { defineLoader } from '../../platform/define-loader.js'
import type { RequestContext } from '../../platform/request-context.js'
import { refuseOldSnapshots } from './history.js'
import { snapshotById } from './loaders.js'
import type { AnalysedAsset, Snapshot } from './model.js'
import { readAssetOf, readPreviousHashes } from './proof-store.js'
import type { AnalysedSnapshot } from './service.js'

/** The chain hash that a snapshot's own continues, by the snapshot's UUID; null for the first of a chain. */
export const previousChainHash = defineLoader((snapshotIds: readonly string[], context) =>
  readPreviousHashes(context.database, snapshotIds),
)

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** 422 for what is no UUID. */
export function parseSnapshotId({ snapshot_id }: { readonly snapshot_id: string }): string {
  const uuid = snapshot_id.toLowerCase()
  if (UUID.test(uuid)) return uuid
  throw invalid({ field: 'snapshot_id', message: 'must be the UUID of a snapshot' })
}

/** A snapshot, superseded or not; 404 for an unknown one, 403 for one of more than 90 days ago without history:full. */
export async function getSnapshot(snapshotId: string, context: RequestContext): Promise<AnalysedSnapshot> {
  const snapshot: Snapshot | null = await snapshotById(context).load(snapshotId)
  const asset: AnalysedAsset | null = snapshot && (await readAssetOf(context.database, snapshot.assetId))
  if (snapshot === null || asset === null) throw notFound(`There is no snapshot with the id ${snapshotId}.`)
  refuseOldSnapshots([snapshot], context, () => null)
  return { asset, snapshot }
}
