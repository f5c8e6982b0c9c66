import { TIERS, type Tier } from '../../../policy/tiers.js'
import type { AccessClient } from '../transaction.js'

/** A start with seed data creates one account per tier and one with the grant admin. */
export const DEVELOPMENT_NAMES = [...TIERS, 'admin'] as const

/** Label of the key of a development account. */
export function developmentLabel(name: Tier | 'admin'): string {
  return `development ${name}`
}

/** Lists the accounts that starts with seed data created and that are not deleted. They have no e-mail. */
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
