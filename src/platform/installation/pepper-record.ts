import type { Database, Transaction } from '../database/database.js'
import type { PrismaModels } from '../database/prisma/prisma-models.js'
import { type PepperOverlap, secretFingerprint } from '../secrets/peppers.js'
import { lockSecret, recordFirstSecrets } from './shared-secrets.js'

/** The peppers of a node or a command. */
export interface KeyPeppers {
  readonly keyPepper: string
  readonly keyPepperOverlap: PepperOverlap
}

/**
 * How a node's peppers compare with the recorded one: `current` is its KEY_PEPPER, `behind` its KEY_PEPPER_NEXT, `ahead` its
 * KEY_PEPPER_PREVIOUS, and `different` none of them. `unknown`: none is recorded yet.
 */
export type PepperPosition = 'unknown' | 'current' | 'behind' | 'ahead' | 'different'

/** Why a node may not start with its peppers. */
export type PepperFault = 'different' | 'unannounced' | 'unfinished'

const [CURRENT, NEXT, PREVIOUS] = ['KEY_PEPPER', 'KEY_PEPPER_NEXT', 'KEY_PEPPER_PREVIOUS'] as const

/** One text for all three, so that a pepper has one fingerprint in every role. */
const fingerprintOf = (pepper: string | null) => (pepper === null ? null : secretFingerprint(CURRENT, pepper))

type PepperClient = Pick<PrismaModels, 'installationSecret'>

async function loadRecord(client: PepperClient): Promise<ReadonlyMap<string, string>> {
  const where = { name: { in: [CURRENT, NEXT, PREVIOUS] } }
  const rows = await client.installationSecret.findMany({ where })
  return new Map(rows.map(({ name, fingerprint }) => [name, fingerprint]))
}

function positionIn(
  record: ReadonlyMap<string, string>,
  { keyPepper, keyPepperOverlap: { next, previous } }: KeyPeppers,
): PepperPosition {
  const recorded = record.get(CURRENT)
  if (recorded === undefined) return 'unknown'
  if (recorded === fingerprintOf(keyPepper)) return 'current'
  if (recorded === fingerprintOf(next)) return 'behind'
  return recorded === fingerprintOf(previous) ? 'ahead' : 'different'
}

/** Compares peppers with the recorded one. Changes nothing. */
export async function loadPepperPosition(
  { prisma }: Pick<Database, 'prisma'>,
  peppers: KeyPeppers,
): Promise<PepperPosition> {
  return positionIn(await loadRecord(prisma), peppers)
}

/**
 * Records the pepper of the first node, and each step of a rotation: that a node accepts the next pepper, that a node uses it,
 * and that no previous one is accepted any more. Returns why this node may not start, or null. `isUnfinished` tells whether
 * something in the database still needs a pepper other than the given one. Nodes that start at once run one after another.
 */
export function notePeppers(
  database: Database,
  peppers: KeyPeppers,
  now: Date,
  isUnfinished: (tx: Transaction) => Promise<boolean>,
): Promise<PepperFault | null> {
  const fingerprint = secretFingerprint(CURRENT, peppers.keyPepper)
  return database.transaction(async (tx) => {
    const { prisma } = tx
    await recordFirstSecrets(tx, [{ name: CURRENT, secrets: [peppers.keyPepper] }], now)
    await lockSecret(tx, CURRENT)
    const record = await loadRecord(prisma)
    const position = positionIn(record, peppers)
    if (position === 'different') return 'different'
    // The other nodes have gone on; this one follows with its next start.
    if (position === 'behind') return null
    if (position === 'ahead') {
      if (record.get(NEXT) !== fingerprint) return 'unannounced'
      await prisma.installationSecret.update({
        where: { name: CURRENT },
        data: { fingerprint, notedAt: now },
      })
    }
    const previous = fingerprintOf(peppers.keyPepperOverlap.previous)
    const isEnding = position === 'current' && record.has(PREVIOUS) && record.get(PREVIOUS) !== previous
    if (isEnding && (await isUnfinished(tx))) return 'unfinished'
    await setRecord(prisma, PREVIOUS, previous, now)
    await setRecord(prisma, NEXT, fingerprintOf(peppers.keyPepperOverlap.next), now)
    return null
  })
}

async function setRecord(
  client: PepperClient,
  name: string,
  fingerprint: string | null,
  notedAt: Date,
): Promise<void> {
  if (fingerprint === null) {
    await client.installationSecret.deleteMany({ where: { name } })
    return
  }
  const { count } = await client.installationSecret.updateMany({ where: { name, fingerprint }, data: {} })
  if (count > 0) return
  await client.installationSecret.deleteMany({ where: { name } })
  await client.installationSecret.create({ data: { name, fingerprint, notedAt } })
}
