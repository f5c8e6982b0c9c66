import type { Clock } from '../../core/time.js'
import { CoalescedRead } from '../coalesced-read.js'
import type { Database } from '../database/database.js'
import { type PublicKeySet, publicKeySet } from '../secrets/signing.js'
import { loadSnapshotKeys, type SnapshotSecrets } from './snapshot-keys.js'

/** A new key of another node is published here after at most this time. Clients cannot cause more frequent reads. */
const KEEP_MS = 60_000

/** The public keys that snapshots of this database may be signed with: the current one first, then earlier ones. */
export async function snapshotKeySet(
  { signingKey, keyPepper, keyPepperPrevious }: SnapshotSecrets,
  database: Database,
): Promise<PublicKeySet> {
  const noted = await loadSnapshotKeys(database, keyPepper, keyPepperPrevious)
  const retired = noted.filter(({ keyId }) => keyId !== signingKey?.keyId)
  return publicKeySet([...(signingKey === null ? [] : [signingKey]), ...retired])
}

/** Reads the key set at most once a minute; while the database is down, the last one is used. */
export function cachedSnapshotKeySet(
  secrets: SnapshotSecrets,
  database: Database,
  clock: Clock,
): () => Promise<PublicKeySet> {
  let kept: { readonly keySet: PublicKeySet; readonly readAt: number } | null = null
  const reads = new CoalescedRead(async () => {
    const readAt = clock.now().getTime()
    const keySet = await snapshotKeySet(secrets, database)
    kept = { keySet, readAt }
    return keySet
  })
  return async () => {
    if (kept !== null && clock.now().getTime() - kept.readAt < KEEP_MS) return kept.keySet
    return reads.join().catch((error: unknown) => {
      if (kept === null) throw error
      return kept.keySet
    })
  }
}
