import { leftText, loadPepperState, pepperJson } from '../../../checks/pepper-state.js'
import type { Config } from '../../../config.js'
import { systemClock } from '../../../core/time.js'
import { noteOperation } from '../../../domains/access/audit-store.js'
import { resealWebhookSecrets } from '../../../domains/webhooks/reseal-secrets.js'
import type { Database } from '../../../platform/database/database.js'
import { moveSnapshotKeys } from '../../../platform/installation/snapshot-keys.js'
import { assertSharedSecrets } from '../../../platform/installation/wiring.js'
import { createWebhookSignatures } from '../../../platform/secrets/webhook-signatures.js'
import { UsageError } from '../../usage-error.js'
import type { Answer } from '../command.js'

const NEEDS_PREVIOUS =
  'secrets rotate KEY_PEPPER needs the settings of the nodes: the new KEY_PEPPER, and the old one as KEY_PEPPER_PREVIOUS'

/**
 * Seals the secrets of webhooks and the public keys of snapshots with the current pepper. The process may be killed at
 * any time, and the command run again.
 */
export async function rotatePepper(database: Database, config: Config, signal: AbortSignal): Promise<Answer> {
  const { keyPepper, keyPepperPrevious: previous } = config
  if (previous === null) throw new UsageError(NEEDS_PREVIOUS)
  const now = systemClock.now()
  await assertSharedSecrets(database, config, now)
  await noteOperation(database.prisma, 'secret_rotated', now, { name: 'KEY_PEPPER' })
  const snapshotKeys = await moveSnapshotKeys(database, keyPepper, previous)
  const signatures = createWebhookSignatures(keyPepper, previous)
  const webhooks = await resealWebhookSecrets(database, signatures, signal)
  const state = await loadPepperState(database, config, now)
  const { untrusted } = state
  const advice =
    untrusted.length > 0
      ? `neither pepper sealed the public keys ${untrusted.join(', ')}, which are not published: secrets forget KEY_PEPPER trusts them again`
      : 'links in mails that are older than the rotation end when KEY_PEPPER_PREVIOUS is removed'
  return {
    json: {
      name: 'KEY_PEPPER',
      webhooks_moved: webhooks,
      snapshot_keys_moved: snapshotKeys,
      ...pepperJson(state),
    },
    text: `secrets of ${webhooks} webhooks and ${snapshotKeys} public keys of snapshots moved to KEY_PEPPER\n${leftText(state)}\n${advice}\n`,
    isFailure: state.webhooks + untrusted.length > 0,
  }
}
