import { randomUUID } from 'node:crypto'
import type { ACCOUNT } from '../../generated/columns.js'
import type { Account, Prisma } from '../../generated/prisma/client.js'
import type { RowOf } from '../../platform/database/statement.js'
import { storedTier, type Tier } from '../../policy/tiers.js'
import { activeAt } from './keys/key-store.js'
import type { AccountListeners } from './listener-model.js'
import type { AccessClient } from './transaction.js'

const SHOWN = {
  accountId: true,
  email: true,
  tier: true,
  grants: true,
  quotaMonth: true,
  quotaHour: true,
  createdAt: true,
} as const satisfies Prisma.AccountSelect

/** An account that is not deleted. */
export type AccountRow = Omit<Pick<RowOf<typeof ACCOUNT>, keyof typeof SHOWN>, 'tier'> & {
  readonly tier: Tier
}

function accountOf<Row extends Pick<Account, 'tier'>>(row: Row): Omit<Row, 'tier'> & { readonly tier: Tier } {
  return { ...row, tier: storedTier(row.tier) }
}

export type AccountSelect = Prisma.AccountSelect
export type SelectedAccount<Select extends AccountSelect> = Prisma.AccountGetPayload<{ select: Select }>

/** The selected columns of an account; null when it does not exist or is deleted. */
export async function findSelectedAccount<Select extends AccountSelect>(
  client: AccessClient,
  accountId: string,
  { select }: { readonly select: Select },
): Promise<SelectedAccount<Select> | null> {
  const row = await client.account.findFirst({ where: { accountId, deletedAt: null }, select })
  return row as SelectedAccount<Select> | null // Prisma infers it from a `select` that is known, not from a generic one
}

export async function findAccount(client: AccessClient, accountId: string): Promise<AccountRow | null> {
  const row = await client.account.findFirst({ where: { accountId, deletedAt: null }, select: SHOWN })
  return row && accountOf(row)
}

/** A new account on tier free without grants, not stored yet. */
export function newAccount(now: Date): AccountRow {
  const none = { email: null, quotaMonth: null, quotaHour: null }
  return { accountId: randomUUID(), ...none, tier: 'free', grants: [], createdAt: now }
}

/** Stores an account. Returns false when an account with the same e-mail and password exists. */
export async function insertAccount(
  tx: AccessClient,
  { grants, ...account }: AccountRow & { readonly passwordHash: string | null },
): Promise<boolean> {
  const data = { ...account, grants: [...grants] }
  const { count } = await tx.account.createMany({ data, skipDuplicates: true })
  return count === 1
}

/** Loads the account and locks it until the transaction ends, so that changes of it and its keys run one after another. */
export async function lockAccount(tx: AccessClient, accountId: string): Promise<AccountRow | null> {
  // Prisma has no row locks.
  await tx.$queryRaw`select 1 as locked from account where account_id = ${accountId}::uuid for no key update`
  return findAccount(tx, accountId)
}

/**
 * Finds at most two accounts that the password may open: the one with this hash, and one whose hash has a salt that does not
 * come from the e-mail. Older accounts have such a salt.
 */
export async function findLogins(
  client: AccessClient,
  email: string,
  passwordHash: string,
): Promise<readonly (AccountRow & { readonly passwordHash: string | null })[]> {
  const withSalt = passwordHash.slice(0, passwordHash.lastIndexOf('$') + 1)
  const rows = await client.account.findMany({
    where: {
      email,
      deletedAt: null,
      OR: [{ passwordHash }, { NOT: { passwordHash: { startsWith: withSalt } } }],
    },
    select: { ...SHOWN, passwordHash: true },
    orderBy: { createdAt: 'asc' },
    take: 2,
  })
  return rows.map(accountOf)
}

/** Stores the hash of the same password with the salt that comes from the e-mail. */
export async function updatePasswordHash(
  client: AccessClient,
  accountId: string,
  passwordHash: string,
): Promise<void> {
  await client.account.updateMany({ where: { accountId, deletedAt: null }, data: { passwordHash } })
}

/** Lists accounts, newest first, optionally of one tier, without deleted accounts. */
export async function listAccounts(
  client: AccessClient,
  now: Date,
  page: { readonly limit: number; readonly offset: number; readonly tier?: Tier },
): Promise<readonly (AccountRow & { readonly activeKeys: number })[]> {
  const rows = await client.account.findMany({
    where: liveOf(page.tier ?? null),
    select: { ...SHOWN, _count: { select: { keys: { where: activeAt(now) } } } },
    orderBy: [{ createdAt: 'desc' }, { accountId: 'asc' }],
    take: page.limit,
    skip: page.offset,
  })
  return rows.map(({ _count, ...row }) => ({ ...accountOf(row), activeKeys: _count.keys }))
}

/** Counts accounts, optionally of one tier, without deleted accounts. */
export function countAccounts(client: AccessClient, tier: Tier | null): Promise<number> {
  return client.account.count({ where: liveOf(tier) })
}

function liveOf(tier: Tier | null): Prisma.AccountWhereInput {
  return { deletedAt: null, ...(tier !== null && { tier }) }
}

/** Maximum number of accounts that can be registered with one e-mail, and that are listed for it. */
export const MAX_SAME_EMAIL = 20

/** Counts the accounts of an e-mail (lower case). */
export function countSameEmail(client: AccessClient, email: string): Promise<number> {
  return client.account.count({ where: { email } })
}

/** Finds the account of an id (UUID), or all accounts of an e-mail (lower case), oldest first. A deleted account has no e-mail. */
export async function findAccountsEvenDeleted(
  client: AccessClient,
  by: { readonly accountId: string } | { readonly email: string },
): Promise<readonly (AccountRow & { readonly deletedAt: Date | null })[]> {
  const rows = await client.account.findMany({
    where: by,
    select: { ...SHOWN, deletedAt: true },
    orderBy: [{ createdAt: 'asc' }, { accountId: 'asc' }],
    take: MAX_SAME_EMAIL,
  })
  return rows.map(accountOf)
}

/** Overwrites tier, grants and quotas of an account. */
export async function updateAccount(tx: AccessClient, account: AccountRow): Promise<void> {
  const { accountId, tier, grants, quotaMonth, quotaHour } = account
  const data = { tier, grants: [...grants], quotaMonth, quotaHour }
  await tx.account.update({ where: { accountId }, data, select: { accountId: true } })
}

/** Deletes the personal data of an account, and what other domains keep of it. Labels are free text, so they are deleted too. Usage stays. */
export async function anonymiseAccount(
  tx: AccessClient,
  { listeners }: AccountListeners,
  accountId: string,
  now: Date,
): Promise<void> {
  const data = { email: null, passwordHash: null, deletedAt: now }
  await tx.account.update({ where: { accountId }, data, select: { accountId: true } })
  await tx.apiKey.updateMany({ where: { accountId }, data: { label: '', idempotencyKey: null } })
  await tx.sqlCredential.updateMany({ where: { accountId }, data: { label: null } })
  for (const listener of listeners) await listener.accountDeleted?.(tx, accountId)
}
