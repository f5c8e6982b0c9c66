import { invalid, notFound } from '../../../core/errors.js'
import { parseUuid } from '../../../core/identifiers.js'
import { defineLoader } from '../../../platform/request/loaders/define-loader.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import type { AnalysedSnapshot, SnapshotHeader } from '../model.js'
import { assertHistoryOfSnapshots } from './history.js'
import { analysedSnapshotById } from './loaders.js'
import { loadContentTexts, loadPreviousHashes } from './proof-store.js'

/** The chain hash before a snapshot, by the snapshot's UUID; null for the first of a chain. */
export const previousChainHash = defineLoader((snapshotIds: readonly string[], context) =>
  loadPreviousHashes(context.database, snapshotIds),
)

const contentTexts = defineLoader((snapshotIds: readonly string[], context) =>
  loadContentTexts(context.database.prisma, snapshotIds),
)

/** The canonical text of a snapshot's content. Snapshots that were read without it share one statement. */
export async function getContentText(
  snapshot: Pick<SnapshotHeader, 'snapshotId' | 'contentText'>,
  context: RequestContext,
): Promise<string> {
  const text = snapshot.contentText ?? (await contentTexts(context).load(snapshot.snapshotId))
  if (text === null) throw new Error(`snapshot ${snapshot.snapshotId} was read and is gone`) // snapshots are never removed
  return text
}

/** Checks a snapshot id; 422 if it is not a UUID. */
export function parseSnapshotId({ snapshot_id }: { readonly snapshot_id: string }): string {
  const uuid = parseUuid(snapshot_id)
  if (uuid !== null) return uuid
  throw invalid({ field: 'snapshot_id', message: 'must be the UUID of a snapshot' })
}

/** A snapshot, superseded or not; 404 for an unknown one, 403 for one older than 90 days without history:full. */
export async function getSnapshot(snapshotId: string, context: RequestContext): Promise<AnalysedSnapshot> {
  const found = await analysedSnapshotById(context).load(snapshotId)
  if (found === null) throw notFound(`No snapshot has the id ${snapshotId}.`)
  assertHistoryOfSnapshots([found.snapshot], context, () => null)
  return found
}
