import { TIERS, type Tier } from '../../policy/tiers.js'
import type { AccessClient } from './transaction.js'

/** Whom a start with seed data makes an account for: one per tier, and one with the admin grant. */
export const DEVELOPMENT_NAMES = [...TIERS, 'admin'] as const

/** Label of the key of that account. */
export function developmentLabel(name: Tier | 'admin'): string {
  return `development ${name}`
}

/** Accounts that starts with seed data made and that nobody deleted since: no person has their e-mail. */
export async function listDevelopmentAccounts(client: AccessClient): Promise<readonly string[]> {
  const labels = DEVELOPMENT_NAMES.map(developmentLabel)
  const rows = await client.account.findMany({
    where: {
      email: null,
      deletedAt: null,
      keys: { some: { label: { in: labels }, keyPrefix: { startsWith: 'mdg_test_' } } },
    },
    select: { accountId: true },
    orderBy: { accountId: 'asc' },
  })
  return rows.map(({ accountId }) => accountId)
}
