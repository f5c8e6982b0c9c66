import type { Database, Transaction } from '../database/database.js'
import type { PrismaModels } from '../database/prisma/prisma-models.js'
import { secretFingerprint } from '../secrets/peppers.js'

/** A variable whose secret every node on one database must share. */
export interface SharedSecret {
  /** The variable, e.g. JWT_KEYS. */
  readonly name: string
  /** The first one is used for new values; the others are still accepted while keys are rotated. */
  readonly secrets: readonly [string | Uint8Array, ...(string | Uint8Array)[]]
  /** Whether nodes must accept a secret before the first node uses it. */
  readonly mustBeAnnounced: boolean
}

/** How a node's secret compares with the recorded one. */
export interface SecretState {
  readonly name: string
  /**
   * `unknown` if none is recorded yet; `unannounced` if this node accepts the recorded one and makes new values with another,
   * which no node has accepted or used before.
   */
  readonly status: 'shared' | 'different' | 'unknown' | 'unannounced'
  readonly notedAt: Date | null
}

type SecretClient = { readonly prisma: Pick<PrismaModels, 'installationSecret'> }

/** Names of the records of secrets that nodes accept beside the one of this name begin with this. */
const besideOf = (name: string) => `${name}_`

/** Compares a node's secrets with the recorded ones. Changes nothing. */
export async function compareSecrets(
  { prisma }: SecretClient,
  given: readonly SharedSecret[],
): Promise<readonly SecretState[]> {
  const rows = await prisma.installationSecret.findMany()
  return given.map(({ name, secrets }) => {
    const recorded = rows.find((row) => row.name === name)
    if (recorded === undefined) return { name, status: 'unknown', notedAt: null }
    const { fingerprint, notedAt } = recorded
    const [first, ...others] = secrets.map((secret) => secretFingerprint(name, secret))
    if (first === fingerprint) return { name, status: 'shared', notedAt }
    if (!others.includes(fingerprint)) return { name, status: 'different', notedAt }
    const beside = rows.filter((row) => row.name.startsWith(besideOf(name)))
    const isAnnounced = beside.some((row) => row.fingerprint === first)
    return { name, status: isAnnounced ? 'shared' : 'unannounced', notedAt }
  })
}

/** Records the secrets if none are recorded yet, and compares them with the recorded ones. Of two processes the first wins. */
export async function recordFirstSecrets(
  client: SecretClient,
  given: readonly SharedSecret[],
  now: Date,
): Promise<readonly SecretState[]> {
  const data = given.map(({ name, secrets: [first] }) => ({
    name,
    fingerprint: secretFingerprint(name, first),
    notedAt: now,
  }))
  await client.prisma.installationSecret.createMany({ data, skipDuplicates: true })
  return compareSecrets(client, given)
}

/** Holds the record of a secret until the transaction ends. */
export async function lockSecret({ prisma }: Pick<Transaction, 'prisma'>, name: string): Promise<void> {
  // Plain SQL: Prisma has no row locks.
  await prisma.$queryRaw`select 1 as locked from installation_secret where name = ${name} for update`
}

/**
 * Records the secret of a node that starts and those that it accepts beside it, and returns how the secret compares with what
 * was recorded before. Only a `shared` one is recorded, and an `unannounced` one that need not be announced, which then is shared.
 * Nodes that start at once run one after another.
 */
export function noteSecret(database: Database, secret: SharedSecret, now: Date): Promise<SecretState> {
  const { name, secrets, mustBeAnnounced } = secret
  return database.transaction(async (tx) => {
    const { installationSecret } = tx.prisma
    await recordFirstSecrets(tx, [secret], now)
    await lockSecret(tx, name)
    const [state = { name, status: 'unknown', notedAt: null }] = await compareSecrets(tx, [secret])
    const isAccepted = state.status === 'unannounced' && !mustBeAnnounced
    if (state.status !== 'shared' && !isAccepted) return state
    const [fingerprint = '', ...others] = secrets.map((one) => secretFingerprint(name, one))
    await installationSecret.updateMany({
      where: { name, fingerprint: { not: fingerprint } },
      data: { fingerprint, notedAt: now },
    })
    await installationSecret.deleteMany({ where: { name: { startsWith: besideOf(name) } } })
    await installationSecret.createMany({
      data: others.map((other, at) => ({
        name: `${besideOf(name)}${at + 2}`,
        fingerprint: other,
        notedAt: now,
      })),
    })
    return { ...state, status: 'shared' as const }
  })
}

/** Removes the records of a variable; the next start records its own. Returns false if nothing was recorded. */
export async function forgetSecret({ prisma }: Database, name: string): Promise<boolean> {
  const where = { OR: [{ name }, { name: { startsWith: besideOf(name) } }] }
  const { count } = await prisma.installationSecret.deleteMany({ where })
  return count > 0
}
