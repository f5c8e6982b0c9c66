import { leftText, loadPepperState, type PepperState, pepperJson } from '../../../checks/pepper-state.js'
import type { Config } from '../../../config.js'
import { systemClock } from '../../../core/time.js'
import { noteOperation } from '../../../domains/access/audit-store.js'
import { listOtherDigests, markDigests } from '../../../domains/access/key-digests/key-digest-store.js'
import { resealWebhookSecrets } from '../../../domains/webhooks/secrets/reseal-secrets.js'
import type { Database } from '../../../platform/database/database.js'
import { moveSnapshotKeys } from '../../../platform/installation/snapshot-keys.js'
import { assertSharedSecrets } from '../../../platform/installation/wiring.js'
import { pepperId } from '../../../platform/secrets/peppers.js'
import { createWebhookSignatures } from '../../../platform/secrets/webhook-signatures.js'
import { UsageError } from '../../usage-error.js'
import type { Answer } from '../command.js'
import { table } from '../table.js'

const NEEDS_PREVIOUS =
  'secrets rotate KEY_PEPPER needs the settings of the nodes: the new KEY_PEPPER, and the old one as KEY_PEPPER_PREVIOUS'

/**
 * Makes the secrets of webhooks and the public keys of snapshots independent of the previous pepper, and reports what still
 * needs it. It may be killed at any time and run again.
 */
export async function rotatePepper(
  database: Database,
  config: Config,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<Answer> {
  const { keyPepper, keyPepperOverlap } = config
  const { previous } = keyPepperOverlap
  if (previous === null) throw new UsageError(NEEDS_PREVIOUS)
  const now = systemClock.now()
  await assertSharedSecrets(database, config, now)
  await noteOperation(database.prisma, 'secret_rotated', now, { name: 'KEY_PEPPER' })
  const currentId = pepperId(keyPepper)
  const snapshotKeys = await moveSnapshotKeys(database, keyPepper, previous)
  const signatures = createWebhookSignatures(keyPepper, keyPepperOverlap)
  const webhooks = await resealWebhookSecrets(database, { signatures, pepperId: currentId, signal })
  await markDigests(database, pepperId(previous))
  const state = await loadPepperState(database, config, now)
  const left = await listOtherDigests(database.prisma, now, currentId, limit)
  const isDone = webhooks.left === 0 && state.untrusted.length === 0
  return {
    json: {
      name: 'KEY_PEPPER',
      webhooks_moved: webhooks.changed,
      snapshot_keys_moved: snapshotKeys,
      ...pepperJson(state),
      keys: left.map((key) => ({
        key_id: key.keyId,
        account_id: key.accountId,
        key_prefix: key.keyPrefix,
        label: key.label,
        last_used_at: key.lastUsedAt,
      })),
    },
    text: [
      `secrets of ${webhooks.changed} webhooks and ${snapshotKeys} public keys of snapshots moved to KEY_PEPPER`,
      `${leftText(state)}; ${state.keys.current} active keys do not`,
      adviceFor(state, webhooks.left),
      table(
        ['key', 'account', 'prefix', 'label', 'last used'],
        left.map((key) => [key.keyId, key.accountId, key.keyPrefix, key.label, key.lastUsedAt]),
        'every active key was used with the new KEY_PEPPER',
      ),
    ].join('\n'),
    isFailure: !isDone,
  }
}

function adviceFor({ keys, untrusted }: PepperState, webhooksLeft: number): string {
  if (webhooksLeft > 0) return `${webhooksLeft} webhooks were busy: run the command again`
  if (untrusted.length > 0)
    return `neither pepper sealed the public keys ${untrusted.join(', ')}, which are not published: secrets forget KEY_PEPPER trusts them again`
  return keys.previous === 0
    ? 'KEY_PEPPER_PREVIOUS may be removed from all nodes; links in mails that are older than the rotation end with it'
    : 'a key moves when it is used; keys that are left become invalid when KEY_PEPPER_PREVIOUS is removed:'
}
