import { configuredAccess } from '../../access.js'
import { loadConfig } from '../../config.js'
import { ApiError, notFound } from '../../core/errors.js'
import { systemClock } from '../../core/time.js'
import { type AccountRow, findAccountsEvenDeleted } from '../../domains/access/account-store.js'
import type { Access } from '../../domains/access/model.js'
import { assertSharedSecrets } from '../../platform/installation/wiring.js'
import { createLogger } from '../../platform/logger.js'
import { withDatabase } from '../command-world.js'
import type { AccountName } from './arguments.js'
import type { AdminWorld } from './command.js'

/** Does the work on the configured database. */
export function withAccess<T>(
  given: Omit<AdminWorld, 'directory'>,
  work: (access: Access) => Promise<T>,
): Promise<T> {
  const config = loadConfig(given.env)
  return withDatabase(given, config, given.signal, async (database) => {
    await assertSharedSecrets(database, config, systemClock.now())
    const access = configuredAccess(config, {
      database,
      clock: systemClock,
      log: createLogger('silent'), // standard output contains only the result
    })
    return await work(access).finally(() => access.close())
  })
}

/** Finds an account, even a deleted one. Throws 404 if it is unknown, 409 if several have the e-mail. */
export async function anyAccount(
  access: Access,
  name: AccountName,
): Promise<AccountRow & { readonly deletedAt: Date | null }> {
  const [account, ...others] = await findAccountsEvenDeleted(access.database.prisma, name)
  const nameText = 'email' in name ? name.email : name.accountId
  if (account === undefined) throw notFound(`unknown account ${nameText}`)
  if (others.length === 0) return account
  const ids = [account, ...others].map(({ accountId }) => accountId).join(', ')
  throw new ApiError('conflict', {
    message: `several accounts have the e-mail ${nameText}; use the id of one: ${ids}`,
  })
}

/** Finds an account. Throws 404 for a deleted one, which cannot be changed. */
export async function findLiveAccount(access: Access, name: AccountName): Promise<AccountRow> {
  const account = await anyAccount(access, name)
  if (account.deletedAt === null) return account
  throw notFound(`the account ${account.accountId} was deleted on ${account.deletedAt.toISOString()}`)
}
