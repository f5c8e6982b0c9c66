import type { Config } from '../../../config.js'
import { systemClock } from '../../../core/time.js'
import { noteOperation } from '../../../domains/access/audit-store.js'
import type { Database } from '../../../platform/database/database.js'
import { snapshotKeySet } from '../../../platform/installation/snapshot-key-set.js'
import { noteSnapshotKey } from '../../../platform/installation/snapshot-keys.js'
import { assertSharedSecrets } from '../../../platform/installation/wiring.js'
import { UsageError } from '../../usage-error.js'
import type { Answer } from '../command.js'

/** Nodes read the published keys once a minute, and clients keep them for five minutes. */
const PUBLISHED_MINUTES = 6

/** Publishes the public key of a new SIGNING_KEY before a node signs with it. */
export async function rotateSigningKey(database: Database, config: Config): Promise<Answer> {
  const { signingKey, keyPepper, keyPepperPrevious } = config
  if (signingKey === null) throw new UsageError('secrets rotate SIGNING_KEY needs the new SIGNING_KEY')
  const now = systemClock.now()
  await assertSharedSecrets(database, config, now)
  await noteSnapshotKey(database, keyPepper, signingKey, now, keyPepperPrevious)
  const { keyId } = signingKey
  await noteOperation(database.prisma, 'secret_rotated', now, { name: 'SIGNING_KEY', key_id: keyId })
  const published = (await snapshotKeySet(config, database)).keys.map(({ kid }) => kid)
  return {
    json: { name: 'SIGNING_KEY', key_id: keyId, published },
    text: `the public key ${keyId} is published beside ${published.length - 1} others; set SIGNING_KEY on the nodes in ${PUBLISHED_MINUTES} minutes, when every client can have it\n`,
  }
}
