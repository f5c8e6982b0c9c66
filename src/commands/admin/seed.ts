import { listDevelopmentAccounts } from '../../domains/access/accounts/development-accounts.js'
import { noteOperation } from '../../domains/access/audit-store.js'
import { deleteAccount } from '../../domains/access/operator.js'
import { removeSeed } from '../../ingest/seed/remove-seed.js'
import type { Command } from './command.js'
import { withAccess } from './installation.js'
import { table } from './table.js'

/** Removes the data of a start with seed data. */
export const seedRemove: Command = {
  name: 'seed remove',
  summary: 'removes synthetic data and the development accounts with their keys; live data stays',
  run: (given) =>
    withAccess(given, async (access) => {
      const datasets = await removeSeed(access.database)
      const accounts = await listDevelopmentAccounts(access.database.prisma)
      for (const accountId of accounts) await deleteAccount(access, accountId)
      await noteOperation(access.database.prisma, 'seed_removed', access.clock.now(), {
        accounts: accounts.length,
      })
      const shown = table(
        ['dataset', 'rows'],
        datasets.map(({ dataset, rows }) => [dataset, rows]),
        'no dataset held synthetic data',
      )
      return {
        json: { datasets, accounts_deleted: accounts.length },
        text: `${shown}\n${accounts.length} development accounts deleted, their keys revoked\n`,
      }
    }),
}
