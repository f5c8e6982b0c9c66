import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Database } from '../database/database.js'
import { acceptedPeppers } from '../secrets/peppers.js'
import { createSigner, type Signer, type SigningKey } from '../secrets/signing.js'

/** The public half of a key that signs, or signed, analysis snapshots. */
export type SnapshotPublicKey = Pick<SigningKey, 'keyId' | 'x'>

/** The secrets that are needed to read the keys of snapshots. */
export interface SnapshotSecrets {
  /** Null if snapshots are not signed. */
  readonly signingKey: SigningKey | null
  readonly keyPepper: string
  readonly keyPepperPrevious: string | null
}

/** Binds a public key to the pepper, which is not in the database. */
function sealOf(pepper: string, { keyId, x }: SnapshotPublicKey): string {
  return createHmac('sha256', pepper).update(`snapshot key ${keyId} ${x}`).digest('base64url')
}

/**
 * Records the public half of the current signing key, so that its snapshots can be verified after it is replaced.
 */
export async function noteSnapshotKey(
  database: Database,
  pepper: string,
  key: SnapshotPublicKey,
  now: Date,
  previous: string | null = null,
): Promise<void> {
  const { keyId, x } = key
  const data = { keyId, x, seal: sealOf(pepper, key), notedAt: now }
  await database.prisma.snapshotSigningKey.createMany({ data: [data], skipDuplicates: true })
  const noted = (await loadSnapshotKeys(database, pepper, previous)).find((other) => other.keyId === keyId)
  if (noted?.x === x) return
  // The seal of the row is invalid: it was made with another pepper, or somebody wrote to the database.
  await database.prisma.snapshotSigningKey.update({ where: { keyId }, data, select: { keyId: true } })
}

/** Signs with the configured key, whose public half it records before. Null without a key. */
export async function notedSigner(
  database: Database,
  { signingKey, keyPepper, keyPepperPrevious }: SnapshotSecrets,
  now: Date,
): Promise<Signer | null> {
  if (signingKey === null) return null
  await noteSnapshotKey(database, keyPepper, signingKey, now, keyPepperPrevious)
  return createSigner(signingKey)
}

/** A recorded key. */
export interface NotedSnapshotKey extends SnapshotPublicKey {
  readonly notedAt: Date
  /** The pepper that sealed it; null if none of the given ones did, so that the key is not trusted. */
  readonly pepper: string | null
}

/** All recorded keys, newest first, each with the one of these peppers that sealed it. */
export async function listSnapshotKeys(
  { prisma }: Pick<Database, 'prisma'>,
  peppers: readonly string[],
): Promise<readonly NotedSnapshotKey[]> {
  const rows = await prisma.snapshotSigningKey.findMany({ orderBy: [{ notedAt: 'desc' }, { keyId: 'asc' }] })
  return rows.map((row) => ({
    keyId: row.keyId,
    x: row.x,
    notedAt: row.notedAt,
    pepper: peppers.find((pepper) => isSame(row.seal, sealOf(pepper, row))) ?? null,
  }))
}

/** All recorded keys with a valid seal, newest first. */
export async function loadSnapshotKeys(
  database: Database,
  pepper: string,
  previous: string | null = null,
): Promise<readonly SnapshotPublicKey[]> {
  const keys = await listSnapshotKeys(database, acceptedPeppers(pepper, previous))
  return keys.filter((key) => key.pepper !== null).map(({ keyId, x }) => ({ keyId, x }))
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * Seals the keys of the previous pepper with the current one and returns their number. A key that neither of them sealed stays
 * as it is.
 */
export async function moveSnapshotKeys(
  { prisma }: Pick<Database, 'prisma'>,
  pepper: string,
  previous: string,
): Promise<number> {
  let moved = 0
  for (const key of await listSnapshotKeys({ prisma }, [pepper, previous])) {
    if (key.pepper !== previous) continue
    const where = { keyId: key.keyId, seal: sealOf(previous, key) }
    moved += (await prisma.snapshotSigningKey.updateMany({ where, data: { seal: sealOf(pepper, key) } }))
      .count
  }
  return moved
}

/**
 * Seals all keys again after the pepper was replaced. It trusts the current contents of the database and returns the ids, so
 * that the operator can compare them.
 */
export async function resealSnapshotKeys({ prisma }: Database, pepper: string): Promise<readonly string[]> {
  const rows = await prisma.snapshotSigningKey.findMany({ orderBy: { keyId: 'asc' } })
  for (const { keyId, x } of rows) {
    const data = { seal: sealOf(pepper, { keyId, x }) }
    await prisma.snapshotSigningKey.update({ where: { keyId }, data, select: { keyId: true } })
  }
  return rows.map(({ keyId }) => keyId)
}
