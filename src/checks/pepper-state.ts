import type { Config } from '../config.js'
import { countDigests, type DigestCounts } from '../domains/access/key-digests/key-digest-store.js'
import { countSeedsOfOtherPeppers } from '../domains/webhooks/secrets/seed-store.js'
import type { Database } from '../platform/database/database.js'
import { loadPepperPosition, type PepperPosition } from '../platform/installation/pepper-record.js'
import { listSnapshotKeys, type NotedSnapshotKey } from '../platform/installation/snapshot-keys.js'
import { acceptedPeppers, pepperId } from '../platform/secrets/peppers.js'

/** What in the database needs which pepper. */
export interface PepperState {
  readonly position: PepperPosition
  readonly keys: DigestCounts
  /** Webhooks whose secret needs another pepper than KEY_PEPPER, or was stored by an earlier version. */
  readonly webhooks: number
  /** All public keys of snapshots, newest first, each with the accepted pepper that sealed it. */
  readonly noted: readonly NotedSnapshotKey[]
  /** Ids of public keys of snapshots that another accepted pepper sealed. */
  readonly snapshotKeys: readonly string[]
  /** Ids of those that no accepted pepper sealed: they are not published. */
  readonly untrusted: readonly string[]
}

export async function loadPepperState(database: Database, config: Config, now: Date): Promise<PepperState> {
  const { keyPepper, keyPepperOverlap } = config
  const [current, ...others] = acceptedPeppers(keyPepper, keyPepperOverlap)
  const noted = await listSnapshotKeys(database, [current, ...others])
  const idsOf = (isWanted: (pepper: string | null) => boolean) =>
    noted.filter(({ pepper }) => isWanted(pepper)).map(({ keyId }) => keyId)
  return {
    position: await loadPepperPosition(database, config),
    keys: await countDigests(database.prisma, now, [pepperId(current), ...others.map(pepperId)]),
    webhooks: await countSeedsOfOtherPeppers(database, pepperId(current), now),
    noted,
    snapshotKeys: idsOf((pepper) => pepper !== null && pepper !== current),
    untrusted: idsOf((pepper) => pepper === null),
  }
}

/** The state for programs. */
export function pepperJson({ keys, webhooks, snapshotKeys, untrusted }: PepperState) {
  return {
    keys_moved: keys.current,
    keys_left: keys.previous,
    keys_lost: keys.lost,
    webhooks_left: webhooks,
    snapshot_keys_left: snapshotKeys,
    snapshot_keys_untrusted: untrusted,
  }
}

/** What still needs KEY_PEPPER_PREVIOUS, as one sentence without a period. */
export function leftText({ keys, webhooks, snapshotKeys }: PepperState): string {
  return `${keys.previous} active keys, ${webhooks} webhooks and ${snapshotKeys.length} public keys of snapshots still need KEY_PEPPER_PREVIOUS`
}
