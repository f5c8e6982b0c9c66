import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Database } from '../database/database.js'
import { createSigner, type Signer, type SigningKey } from '../secrets/signing.js'

/** The public half of a key that signs, or signed, analysis snapshots. */
export type SnapshotPublicKey = Pick<SigningKey, 'keyId' | 'x'>

/** A key id that another key has already. */
export class KeyIdTakenError extends Error {
  override readonly name = 'KeyIdTakenError'
  constructor(keyId: string) {
    super(
      `SIGNING_KEY_ID ${keyId} belongs to another key that signed snapshots in this database: give the new key another id`,
    )
  }
}

/** Binds a public key to the pepper, which is not in the database. */
function sealOf(pepper: string, { keyId, x }: SnapshotPublicKey): string {
  return createHmac('sha256', pepper).update(`snapshot key ${keyId} ${x}`).digest('base64url')
}

/**
 * Records the public half of the current signing key, so that its snapshots can be verified after it is replaced. Throws
 * KeyIdTakenError if its id belongs to another key.
 */
export async function noteSnapshotKey(
  database: Database,
  pepper: string,
  key: SnapshotPublicKey,
  now: Date,
): Promise<void> {
  const { keyId, x } = key
  const data = { keyId, x, seal: sealOf(pepper, key), notedAt: now }
  await database.prisma.snapshotSigningKey.createMany({ data: [data], skipDuplicates: true })
  const noted = (await loadSnapshotKeys(database, pepper)).find((other) => other.keyId === keyId)
  if (noted?.x === x) return
  if (noted !== undefined) throw new KeyIdTakenError(keyId)
  // The seal of the row is invalid: it was made with another pepper, or somebody wrote to the database.
  await database.prisma.snapshotSigningKey.update({ where: { keyId }, data, select: { keyId: true } })
}

/** Signs with the configured key, whose public half it records before. Null without a key. Throws as `noteSnapshotKey` does. */
export async function notedSigner(
  database: Database,
  { signingKey, keyPepper }: { readonly signingKey: SigningKey | null; readonly keyPepper: string },
  now: Date,
): Promise<Signer | null> {
  if (signingKey === null) return null
  await noteSnapshotKey(database, keyPepper, signingKey, now)
  return createSigner(signingKey)
}

/** All recorded keys with a valid seal, newest first. */
export async function loadSnapshotKeys(
  { prisma }: Database,
  pepper: string,
): Promise<readonly SnapshotPublicKey[]> {
  const rows = await prisma.snapshotSigningKey.findMany({ orderBy: [{ notedAt: 'desc' }, { keyId: 'asc' }] })
  return rows.filter((row) => isSame(row.seal, sealOf(pepper, row))).map(({ keyId, x }) => ({ keyId, x }))
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
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
