import { randomUUID } from 'node:crypto'
import type { Account, Prisma } from '../../generated/prisma/client.js'
import { storedTier, type Tier } from '../../policy/tiers.js'
import { activeAt } from './key-store.js'
import type { AccessClient } from './transaction.js'

/** An account that is not deleted. */
export interface AccountRow {
  readonly accountId: string
  readonly email: string | null
  readonly tier: Tier
  readonly grants: readonly string[]
  readonly quotaMonth: number | null
  readonly quotaHour: number | null
  readonly createdAt: Date
}

const SHOWN = {
  accountId: true,
  email: true,
  tier: true,
  grants: true,
  quotaMonth: true,
  quotaHour: true,
  createdAt: true,
} as const satisfies Prisma.AccountSelect

function accountOf<Row extends Pick<Account, 'tier'>>(row: Row): Omit<Row, 'tier'> & { readonly tier: Tier } {
  return { ...row, tier: storedTier(row.tier) }
}

export type AccountSelect = Prisma.AccountSelect
export type SelectedAccount<Select extends AccountSelect> = Prisma.AccountGetPayload<{ select: Select }>

/** What is selected of an account that is not deleted, or null. */
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

/** An account on tier free with nothing granted, not stored yet. */
export function newAccount(now: Date): AccountRow {
  const none = { email: null, quotaMonth: null, quotaHour: null }
  return { accountId: randomUUID(), ...none, tier: 'free', grants: [], createdAt: now }
}

/** Makes an account and answers true, or false when the e-mail has an account with the same password. */
export async function insertAccount(
  tx: AccessClient,
  { grants, ...account }: AccountRow & { readonly passwordHash: string | null },
): Promise<boolean> {
  const data = { ...account, grants: [...grants] }
  const { count } = await tx.account.createMany({ data, skipDuplicates: true })
  return count === 1
}

/** The account, locked until the transaction ends, so that changes of it and its keys follow each other; or null. */
export async function lockAccount(tx: AccessClient, accountId: string): Promise<AccountRow | null> {
  // Prisma has no row locks.
  await tx.$queryRaw`select 1 as locked from account where account_id = ${accountId}::uuid for no key update`
  return findAccount(tx, accountId)
}

/**
 * At most two accounts that the password may open: the one with this hash, and one whose hash has another salt than that of
 * its e-mail, as those had that were made before the salt came from the e-mail.
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

/** Stores the hash of the same password under the salt of the e-mail. */
export async function updatePasswordHash(
  client: AccessClient,
  accountId: string,
  passwordHash: string,
): Promise<void> {
  await client.account.updateMany({ where: { accountId, deletedAt: null }, data: { passwordHash } })
}

/** Newest first, of one tier where given; deleted accounts are left out. */
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

/** Accounts that are not deleted, of one tier where given. */
export function countAccounts(client: AccessClient, tier: Tier | null): Promise<number> {
  return client.account.count({ where: liveOf(tier) })
}

function liveOf(tier: Tier | null): Prisma.AccountWhereInput {
  return { deletedAt: null, ...(tier !== null && { tier }) }
}

/** Accounts shown at most where an e-mail has several. */
const MAX_SAME_EMAIL = 20

/** The account of an id (UUID), or those of an e-mail (lower case), oldest first; a deleted one has lost its e-mail. */
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

/** Overwrites what decides an account's rights and quotas. */
export async function updateAccount(tx: AccessClient, account: AccountRow): Promise<void> {
  const { accountId, tier, grants, quotaMonth, quotaHour } = account
  const data = { tier, grants: [...grants], quotaMonth, quotaHour }
  await tx.account.update({ where: { accountId }, data, select: { accountId: true } })
}

/** Takes everything personal from an account (labels are free text, so they go too), its newsletter and its webhooks; its usage stays. */
export async function anonymiseAccount(tx: AccessClient, accountId: string, now: Date): Promise<void> {
  const data = { email: null, passwordHash: null, deletedAt: now }
  await tx.account.update({ where: { accountId }, data, select: { accountId: true } })
  await tx.apiKey.updateMany({ where: { accountId }, data: { label: '', idempotencyKey: null } })
  // Mails that are still to be sent look for it.
  await tx.newsletterSubscription.deleteMany({ where: { accountId } })
  await tx.sqlCredential.updateMany({ where: { accountId }, data: { label: null } })
  // With their events, by the foreign key.
  await tx.webhook.deleteMany({ where: { accountId } })
}
