import type { Config } from '../config.js'
import { formatCount } from '../core/format-count.js'
import { countSeedsOfOtherPeppers } from '../domains/webhooks/reseal-secrets.js'
import type { Database } from '../platform/database/database.js'
import { listSnapshotKeys, type NotedSnapshotKey } from '../platform/installation/snapshot-keys.js'
import { acceptedPeppers, pepperId } from '../platform/secrets/peppers.js'

/** What in the database needs which pepper. */
export interface PepperState {
  /** Webhooks whose secret needs another pepper than KEY_PEPPER. */
  readonly webhooks: number
  /** All public keys of snapshots, newest first, each with the accepted pepper that sealed it. */
  readonly noted: readonly NotedSnapshotKey[]
  /** Ids of public keys of snapshots that KEY_PEPPER_PREVIOUS sealed. */
  readonly snapshotKeys: readonly string[]
  /** Ids of those that no accepted pepper sealed: they are not published. */
  readonly untrusted: readonly string[]
}

export async function loadPepperState(
  database: Database,
  { keyPepper, keyPepperPrevious }: Config,
  now: Date,
): Promise<PepperState> {
  const noted = await listSnapshotKeys(database, acceptedPeppers(keyPepper, keyPepperPrevious))
  const idsOf = (isWanted: (pepper: string | null) => boolean) =>
    noted.filter(({ pepper }) => isWanted(pepper)).map(({ keyId }) => keyId)
  return {
    webhooks: await countSeedsOfOtherPeppers(database, pepperId(keyPepper), now),
    noted,
    snapshotKeys: idsOf((pepper) => pepper !== null && pepper !== keyPepper),
    untrusted: idsOf((pepper) => pepper === null),
  }
}

/** The state for programs. */
export function pepperJson({ webhooks, snapshotKeys, untrusted }: PepperState) {
  return {
    webhooks_left: webhooks,
    snapshot_keys_left: snapshotKeys,
    snapshot_keys_untrusted: untrusted,
  }
}

/** What needs another pepper than KEY_PEPPER, as one sentence without a period. */
export function leftText({ webhooks, snapshotKeys }: PepperState): string {
  return `${formatCount(webhooks, 'webhook')} and ${formatCount(snapshotKeys.length, 'public key')} of snapshots need another pepper than KEY_PEPPER`
}
