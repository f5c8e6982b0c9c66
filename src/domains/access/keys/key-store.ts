import type { API_KEY } from '../../../generated/columns.js'
import type { Prisma } from '../../../generated/prisma/client.js'
import type { RowOf } from '../../../platform/database/statement.js'
import type { AccessClient } from '../transaction.js'

export interface KeyOrigin {
  /** The key whose request made the key; null for a key of a token or an operator. */
  readonly makerKeyId: string | null
}

export interface NewKeyRow extends Omit<KeyRow, 'revokedAt' | 'lastUsedAt'>, KeyOrigin {
  readonly accountId: string
  readonly digest: Buffer
  readonly idempotencyKey: string | null
  readonly requestSha256: string | null
}

/** The public columns of a key. */
export const SHOWN_KEY = {
  keyId: true,
  keyPrefix: true,
  label: true,
  scopes: true,
  isNarrowed: true,
  createdAt: true,
  expiresAt: true,
  revokedAt: true,
  lastUsedAt: true,
  urlOperations: true,
  urlInterfaces: true,
  urlHourlyUnits: true,
  clockAsOf: true,
  clockBasis: true,
} as const satisfies Prisma.ApiKeySelect

export type KeyRow = Pick<RowOf<typeof API_KEY>, keyof typeof SHOWN_KEY>

/** Filter for keys that work at an instant. */
export function activeAt(now: Date): Prisma.ApiKeyWhereInput {
  return {
    AND: [
      { OR: [{ revokedAt: null }, { revokedAt: { gt: now } }] },
      { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
    ],
  }
}

export async function insertKey(tx: AccessClient, { digest, ...key }: NewKeyRow): Promise<void> {
  const { scopes, urlOperations, urlInterfaces } = key
  const lists = { scopes: [...scopes], urlOperations: [...urlOperations], urlInterfaces: [...urlInterfaces] }
  const data = { ...key, ...lists, digest: new Uint8Array(digest) }
  await tx.apiKey.create({ data, select: { keyId: true } })
}

/** Reads active rows first, then the others, at most `limit` in total. */
export async function activeFirst<Row, Where extends object>(
  read: (where: Where | { readonly NOT: Where }, take: number) => Promise<readonly Row[]>,
  active: Where,
  limit: number,
): Promise<readonly Row[]> {
  const first = await read(active, limit)
  return [...first, ...(await read({ NOT: active }, limit - first.length))]
}

export type KeySelect = Prisma.ApiKeySelect
export type SelectedKey<Select extends KeySelect> = Prisma.ApiKeyGetPayload<{ select: Select }>

/** Lists selected columns of an account's keys, active keys first, then the newest. */
export async function listKeys<Select extends KeySelect>(
  client: AccessClient,
  accountId: string,
  { now, limit, select }: { readonly now: Date; readonly limit: number; readonly select: Select },
): Promise<readonly SelectedKey<Select>[]> {
  const read = async (where: Prisma.ApiKeyWhereInput, take: number) => {
    const rows = await client.apiKey.findMany({
      where: { accountId, ...where },
      select,
      orderBy: [{ createdAt: 'desc' }, { keyId: 'asc' }],
      take,
    })
    return rows as SelectedKey<Select>[] // Prisma infers it from a `select` that is known, not from a generic one
  }
  return activeFirst(read, activeAt(now), limit)
}

/** Selected columns of keys of the account, in any order. */
export async function findSelectedKeys<Select extends KeySelect>(
  client: AccessClient,
  accountId: string,
  keyIds: readonly string[],
  { select }: { readonly select: Select },
): Promise<readonly SelectedKey<Select>[]> {
  const rows = await client.apiKey.findMany({ where: { accountId, keyId: { in: [...keyIds] } }, select })
  return rows as readonly SelectedKey<Select>[] // as above
}

/** Finds selected columns of one key of the account; null for keys of other accounts too. */
export async function findSelectedKey<Select extends KeySelect>(
  client: AccessClient,
  accountId: string,
  keyId: string,
  { select }: { readonly select: Select },
): Promise<SelectedKey<Select> | null> {
  const row = await client.apiKey.findFirst({ where: { accountId, keyId }, select })
  return row as SelectedKey<Select> | null // as above
}

/** Finds one key of the account; null for keys of other accounts too. */
export function findKey(
  client: AccessClient,
  accountId: string,
  keyId: string,
): Promise<(KeyRow & KeyOrigin) | null> {
  return findSelectedKey(client, accountId, keyId, { select: { ...SHOWN_KEY, makerKeyId: true } })
}

/** Moves the clock of a key to a later instant. Returns the digest of the key; null if another request has moved it further. */
export async function moveKeyClock(tx: AccessClient, keyId: string, to: Date): Promise<Uint8Array | null> {
  const where = { keyId, clockAsOf: { lte: to } }
  const [moved] = await tx.apiKey.updateManyAndReturn({
    where,
    data: { clockAsOf: to },
    select: { digest: true },
  })
  return moved?.digest ?? null
}

/** The account that a key belongs to, or null. */
export async function findKeyOwner(client: AccessClient, keyId: string): Promise<string | null> {
  const key = await client.apiKey.findUnique({ where: { keyId }, select: { accountId: true } })
  return key?.accountId ?? null
}

export function findKeyByIdempotency(
  client: AccessClient,
  accountId: string,
  idempotencyKey: string,
): Promise<{ readonly keyId: string; readonly requestSha256: string | null } | null> {
  const where = { accountId_idempotencyKey: { accountId, idempotencyKey } }
  return client.apiKey.findUnique({ where, select: { keyId: true, requestSha256: true } })
}

/** All keys that the account ever had. */
export function countKeys(client: AccessClient, accountId: string): Promise<number> {
  return client.apiKey.count({ where: { accountId } })
}

export function countActiveKeys(client: AccessClient, accountId: string, now: Date): Promise<number> {
  return client.apiKey.count({ where: { accountId, ...activeAt(now) } })
}

/** A key and all keys that were made with it, or with one of those. */
export async function listKeyFamily(
  tx: AccessClient,
  accountId: string,
  keyId: string,
): Promise<readonly string[]> {
  // Prisma has no recursion. Union drops a key that was listed before, so a circle of rotated keys ends.
  const rows = await tx.$queryRaw<readonly { readonly id: string }[]>`
    with recursive family(key_id) as (
      select ${keyId}::uuid
      union
      select made.key_id from family join api_key made on made.maker_key_id = family.key_id
      where made.account_id = ${accountId}::uuid
    )
    select key_id::text as id from family`
  return rows.map(({ id }) => id)
}

export interface RevokedKey {
  readonly keyId: string
  readonly digest: Uint8Array
}

/** Ends these keys, or all keys of the account (null), at `at`. A key that ends earlier keeps its end. Returns the changed keys. */
export function revokeKeys(
  tx: AccessClient,
  accountId: string,
  keyIds: readonly string[] | null,
  at: Date,
): Promise<readonly RevokedKey[]> {
  return tx.apiKey.updateManyAndReturn({
    where: {
      accountId,
      ...(keyIds !== null && { keyId: { in: [...keyIds] } }),
      OR: [{ revokedAt: null }, { revokedAt: { gt: at } }],
    },
    data: { revokedAt: at },
    select: { keyId: true, digest: true },
  })
}
