import type { Database } from '../database/database.js'
import { secretFingerprint } from '../secrets/peppers.js'

/** A variable whose secret every node on one database must share. */
export interface SharedSecret {
  /** The variable, e.g. JWT_KEYS. */
  readonly name: string
  /** The first one is used for new values; the others are still accepted while keys are rotated. */
  readonly secrets: readonly [string | Uint8Array, ...(string | Uint8Array)[]]
}

/** How a node's secret compares with the recorded one. */
export interface SecretState {
  readonly name: string
  /** `unknown` if none is recorded yet. */
  readonly status: 'shared' | 'different' | 'unknown'
  readonly notedAt: Date | null
}

/** Compares a node's secrets with the recorded ones. Changes nothing. */
export async function compareSecrets(
  { prisma }: Database,
  given: readonly SharedSecret[],
): Promise<readonly SecretState[]> {
  const rows = await prisma.installationSecret.findMany()
  const noted = new Map(rows.map((row) => [row.name, row]))
  return given.map(({ name, secrets }) => {
    const row = noted.get(name)
    if (row === undefined) return { name, status: 'unknown', notedAt: null }
    const isShared = secrets.some((secret) => secretFingerprint(name, secret) === row.fingerprint)
    return { name, status: isShared ? 'shared' : 'different', notedAt: row.notedAt }
  })
}

/**
 * Records the secrets of the installation's first node, and those that a later node rotated to. Returns how this node's
 * secrets compare with the recorded ones; a `different` one is not recorded. Of two nodes that start at once the first wins.
 */
export async function noteSecrets(
  database: Database,
  given: readonly SharedSecret[],
  now: Date,
): Promise<readonly SecretState[]> {
  const { prisma } = database
  const current = given.map(({ name, secrets: [first] }) => ({
    name,
    fingerprint: secretFingerprint(name, first),
    notedAt: now,
  }))
  await prisma.installationSecret.createMany({ data: current, skipDuplicates: true })
  const states = await compareSecrets(database, given)
  for (const { name, fingerprint } of current) {
    if (states.find((state) => state.name === name)?.status !== 'shared') continue
    const where = { name, fingerprint: { not: fingerprint } }
    await prisma.installationSecret.updateMany({ where, data: { fingerprint, notedAt: now } })
  }
  return states
}

/** Removes the record of a variable; the next start records its own. Returns false if nothing was recorded. */
export async function forgetSecret({ prisma }: Database, name: string): Promise<boolean> {
  const { count } = await prisma.installationSecret.deleteMany({ where: { name } })
  return count > 0
}
