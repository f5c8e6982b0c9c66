import { configuredAccess } from '../../assembly/configured-access.js'
import { loadConfig } from '../../config.js'
import { notFound } from '../../core/errors.js'
import { systemClock } from '../../core/time.js'
import { type AccountRow, findAccountEvenDeleted } from '../../domains/access/account-store.js'
import type { Access } from '../../domains/access/model.js'
import { createLogger } from '../../platform/logger.js'
import { withDatabase } from '../command-world.js'
import type { AccountName } from './arguments.js'
import type { AdminWorld } from './command.js'

/** Does the work on the database of the command. */
export function withAccess<T>(given: AdminWorld, work: (access: Access) => Promise<T>): Promise<T> {
  const config = loadConfig(given.env)
  return withDatabase(given, config, given.signal, async (database) => {
    const access = configuredAccess(config, {
      database,
      clock: systemClock,
      log: createLogger('silent'), // nothing but the answer goes to standard output
    })
    return await work(access).finally(() => access.close())
  })
}

/** The account, deleted ones too; 404 that repeats what was asked for. */
export async function anyAccount(
  access: Access,
  name: AccountName,
): Promise<AccountRow & { readonly deletedAt: Date | null }> {
  const account = await findAccountEvenDeleted(access.database.prisma, name)
  if (account !== null) return account
  throw notFound(`there is no account ${'email' in name ? name.email : name.accountId}`)
}

/** The account; 404 for a deleted one, since nothing of it can be changed any more. */
export async function liveAccount(access: Access, name: AccountName): Promise<AccountRow> {
  const account = await anyAccount(access, name)
  if (account.deletedAt === null) return account
  throw notFound(`the account ${account.accountId} was deleted on ${account.deletedAt.toISOString()}`)
}
