import { type AccountRow, countAccounts, listAccounts } from '../../domains/access/account-store.js'
import { OPERATOR, parseKeyRequest } from '../../domains/access/keys/key-model.js'
import { countActiveKeys } from '../../domains/access/keys/key-store.js'
import { effectiveScopes } from '../../domains/access/model.js'
import {
  type AccountWithKey,
  createAccountWithKey,
  deleteAccount,
  setContract,
  setTier,
} from '../../domains/access/operator.js'
import { quotasOf } from '../../policy/limits.js'
import { SCOPE_NAMES } from '../../policy/scopes.js'
import { SERVED_SCOPES } from '../../served-scopes.js'
import { UsageError } from '../usage-error.js'
import { parseAccountName, parseEmailArgument, parseNumberOption, parseTier } from './arguments.js'
import type { Command } from './command.js'
import { anyAccount, findLiveAccount, withAccess } from './installation.js'
import { facts, table } from './table.js'

/** A quota column is a 4-byte integer. */
const MAX_QUOTA = 2_147_483_647
const MAX_OFFSET = 1_000_000_000

function contractOf({ quotaMonth, quotaHour }: AccountRow) {
  return quotaMonth === null || quotaHour === null ? null : { month: quotaMonth, hour: quotaHour }
}

function userJson(account: AccountRow) {
  const { accountId, email, tier, grants, createdAt } = account
  return { account_id: accountId, email, tier, grants, contract: contractOf(account), created_at: createdAt }
}

const list: Command = {
  name: 'users list',
  options: ['tier', 'limit', 'offset'],
  summary: 'accounts, newest first, with their active keys; without deleted accounts',
  run: (given) => {
    const tier = given.options.tier === undefined ? null : parseTier(given.options.tier)
    const limit = parseNumberOption(given, 'limit', { min: 1, max: 1000, fallback: 50 })
    const offset = parseNumberOption(given, 'offset', { min: 0, max: MAX_OFFSET, fallback: 0 })
    return withAccess(given, async ({ database, clock }) => {
      const rows = await listAccounts(database.prisma, clock.now(), { limit, offset, ...(tier && { tier }) })
      const total = await countAccounts(database.prisma, tier)
      const shown = table(
        ['account', 'e-mail', 'tier', 'grants', 'created', 'keys'],
        rows.map((row) => [
          row.accountId,
          row.email,
          row.tier,
          row.grants.join(','),
          row.createdAt,
          row.activeKeys,
        ]),
        'no accounts',
      )
      const users = rows.map((row) => ({ ...userJson(row), active_keys: row.activeKeys }))
      const span = rows.length === 0 ? '0' : `${offset + 1} to ${offset + rows.length}`
      return { json: { users, total, limit, offset }, text: `${shown}\n${span} of ${total}\n` }
    })
  },
}

const show: Command = {
  name: 'users show',
  parameters: ['account'],
  summary: 'one account with its quotas and scopes; name a deleted account by its id',
  run: (given) => {
    const name = parseAccountName(given.word('account'))
    return withAccess(given, async (access) => {
      const account = await anyAccount(access, name)
      const activeKeys = await countActiveKeys(access.database.prisma, account.accountId, access.clock.now())
      const held = effectiveScopes(account, null)
      // A scope that opens nothing in this version is shown only if an operator granted it.
      const scopes = SCOPE_NAMES.filter(
        (scope) => held.has(scope) && (SERVED_SCOPES.has(scope) || account.grants.includes(scope)),
      )
      const quotas = quotasOf(account.tier, contractOf(account))
      return {
        json: {
          ...userJson(account),
          deleted_at: account.deletedAt,
          active_keys: activeKeys,
          quotas,
          scopes,
        },
        text: facts([
          ['account', account.accountId],
          ['e-mail', account.email],
          ['tier', account.tier],
          ['per month', quotas.month],
          ['per hour', quotas.hour],
          ['contract', contractText(account)],
          ['grants', account.grants.join(', ')],
          ['scopes', scopes.join(', ')],
          ['active keys', activeKeys],
          ['created', account.createdAt],
          ['deleted', account.deletedAt],
        ]),
      }
    })
  },
}

function contractText(account: AccountRow): string | null {
  const contract = contractOf(account)
  if (contract === null) return null
  const inForce = account.tier === 'enterprise' ? '' : ', without effect on this tier'
  return `${contract.month} a month, ${contract.hour} an hour${inForce}`
}

const create: Command = {
  name: 'users create',
  options: ['tier', 'email', 'label'],
  required: ['tier'],
  summary: 'creates an account with one key, which is shown only once; the account has no password',
  run: (given) => {
    const { tier, email, label = 'first key' } = given.options
    const request = parseKeyRequest({ label }, OPERATOR, { now: new Date(), servedScopes: SERVED_SCOPES })
    const account: AccountWithKey = {
      tier: parseTier(tier ?? ''),
      label: request.label,
      ...(email !== undefined && { email: parseEmailArgument(email) }),
    }
    return withAccess(given, async (access) => {
      const { account_id, ...key } = await createAccountWithKey(access, account)
      return {
        json: { account_id, email: account.email ?? null, ...key },
        text: facts([
          ['account', account_id],
          ['e-mail', account.email ?? null],
          ['tier', key.tier],
          ['key id', key.key_id],
          ['label', key.label],
          ['key', key.raw_key],
        ]).concat(`\n${key.warning}\n`),
      }
    })
  },
}

const setTierCommand: Command = {
  name: 'users set-tier',
  parameters: ['account', 'tier'],
  summary: 'moves an account to another tier; its keys change within half a second',
  run: (given) => {
    const name = parseAccountName(given.word('account'))
    const tier = parseTier(given.word('tier'))
    return withAccess(given, async (access) => {
      const { accountId, tier: before } = await findLiveAccount(access, name)
      const changed = await setTier(access, accountId, tier)
      return {
        json: { account_id: accountId, tier, changed },
        text: changed ? `${accountId}: ${before} → ${tier}\n` : `${accountId} is on ${tier} already\n`,
      }
    })
  },
}

const setContractCommand: Command = {
  name: 'users set-contract',
  parameters: ['account'],
  options: ['month', 'hour', 'clear'],
  summary: 'sets the quotas of an enterprise contract (--month and --hour), or removes them (--clear)',
  run: (given) => {
    const name = parseAccountName(given.word('account'))
    const { month, hour, clear = false } = given.options
    const isWhole = month !== undefined && hour !== undefined
    if (clear ? month !== undefined || hour !== undefined : !isWhole) {
      throw new UsageError('users set-contract needs --month and --hour, or only --clear')
    }
    const range = { min: 1, max: MAX_QUOTA, fallback: 0 }
    const contract = clear
      ? null
      : { month: parseNumberOption(given, 'month', range), hour: parseNumberOption(given, 'hour', range) }
    if (contract !== null && contract.hour > contract.month) {
      throw new UsageError('--hour must not exceed --month')
    }
    return withAccess(given, async (access) => {
      const { accountId, tier } = await findLiveAccount(access, name)
      await setContract(access, accountId, contract)
      const quotas = quotasOf(tier, contract)
      const inForce = contract !== null && tier === 'enterprise'
      const hint = contract === null || inForce ? '' : `; the contract takes effect on the tier enterprise`
      return {
        json: { account_id: accountId, tier, contract, in_force: inForce, quotas },
        text: `${accountId} on ${tier}: ${quotas.month} a month, ${quotas.hour} an hour${hint}\n`,
      }
    })
  },
}

const remove: Command = {
  name: 'users delete',
  parameters: ['account'],
  summary: 'removes the personal data of an account and revokes its keys; this cannot be undone',
  run: (given) => {
    const name = parseAccountName(given.word('account'))
    return withAccess(given, async (access) => {
      const { accountId } = await findLiveAccount(access, name)
      const keys = await deleteAccount(access, accountId)
      return {
        json: { account_id: accountId, revoked_keys: keys },
        text: `${accountId} is anonymised; keys revoked: ${keys}; its usage totals stay\n`,
      }
    })
  },
}

export const USER_COMMANDS: readonly Command[] = [
  list,
  show,
  create,
  setTierCommand,
  setContractCommand,
  remove,
]
