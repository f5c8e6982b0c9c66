import { isActive, OPERATOR, parseKeyRequest } from '../../domains/access/keys/key-model.js'
import { countKeys, type KeyRow, listKeys, SHOWN_KEY } from '../../domains/access/keys/key-store.js'
import { addGrant, createKeyFor, removeGrant, revokeAnyKey } from '../../domains/access/operator.js'
import { scopesOfTier } from '../../policy/scopes.js'
import { SERVED_SCOPES } from '../../served-scopes.js'
import { parseAccountName, parseIdWord, parseScope, parseScopes } from './arguments.js'
import type { Answer, Command, CommandInput } from './command.js'
import { anyAccount, findLiveAccount, withAccess } from './installation.js'
import { facts, table } from './table.js'

/** Maximum number of listed keys: all active ones, and as many others. */
const MAX_LISTED_KEYS = 200

function stateOf(key: KeyRow, now: Date): string {
  if (key.revokedAt !== null && key.revokedAt <= now) return 'revoked'
  if (!isActive(key, now)) return 'expired'
  return key.revokedAt === null ? 'active' : `active until ${key.revokedAt.toISOString()}`
}

function keyJson(key: KeyRow, now: Date) {
  return {
    key_id: key.keyId,
    key_prefix: key.keyPrefix,
    label: key.label,
    narrowed_to: key.isNarrowed ? key.scopes : null,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    last_used_at: key.lastUsedAt,
    is_active: isActive(key, now),
  }
}

const list: Command = {
  name: 'keys list',
  parameters: ['account'],
  summary: 'keys of an account, active ones first, without their text',
  run: (given) => {
    const name = parseAccountName(given.word('account'))
    return withAccess(given, async (access) => {
      const now = access.clock.now()
      const { accountId } = await anyAccount(access, name)
      const { prisma } = access.database
      const page = { now, limit: MAX_LISTED_KEYS, select: SHOWN_KEY }
      const rows = await listKeys(prisma, accountId, page)
      const total = await countKeys(prisma, accountId)
      const shown = table(
        ['key', 'prefix', 'label', 'narrowed to', 'created', 'expires', 'last used', 'state'],
        rows.map((key) => [
          key.keyId,
          key.keyPrefix,
          key.label,
          key.isNarrowed ? key.scopes.join(',') || 'no scope' : null,
          key.createdAt,
          key.expiresAt,
          key.lastUsedAt,
          stateOf(key, now),
        ]),
        'this account has no keys',
      )
      const more = total > rows.length ? `\n${rows.length} of ${total}\n` : ''
      return {
        json: { account_id: accountId, keys: rows.map((key) => keyJson(key, now)), total },
        text: shown + more,
      }
    })
  },
}

const create: Command = {
  name: 'keys create',
  parameters: ['account'],
  options: ['label', 'scopes'],
  required: ['label'],
  summary: 'creates a further key of an account, which is shown only once',
  run: (given) => {
    const name = parseAccountName(given.word('account'))
    const scopes = parseScopes(given)
    const request = { label: given.options.label ?? '', ...(scopes && { scopes }) }
    // Reports invalid labels and scopes before it opens the database.
    parseKeyRequest(request, OPERATOR, { now: new Date(), servedScopes: SERVED_SCOPES })
    return withAccess(given, async (access) => {
      const { accountId } = await findLiveAccount(access, name)
      const key = await createKeyFor(access, accountId, request)
      return {
        json: { account_id: accountId, ...key },
        text: facts([
          ['account', accountId],
          ['key id', key.key_id],
          ['label', key.label],
          ['scopes', key.scopes.join(', ')],
          ['key', key.raw_key],
        ]).concat(`\n${key.warning}\n`),
      }
    })
  },
}

const revoke: Command = {
  name: 'keys revoke',
  parameters: ['key_id'],
  summary: 'revokes a key, on every node within a second',
  run: (given) => {
    const keyId = parseIdWord('key id', given.word('key_id'))
    return withAccess(given, async (access) => {
      const { accountId, changed } = await revokeAnyKey(access, keyId)
      return {
        json: { key_id: keyId, account_id: accountId, changed },
        text: changed ? `${keyId} of ${accountId} is revoked\n` : `${keyId} was already revoked\n`,
      }
    })
  },
}

const addGrantCommand: Command = {
  name: 'grants add',
  parameters: ['account', 'scope'],
  summary: 'gives an account a scope beyond its tier',
  run: (given) =>
    changeGrant(given, addGrant, ({ accountId, tier, scope, changed }) => {
      if (!changed) return `${accountId} already had the grant ${scope}`
      const alike = scopesOfTier(tier).has(scope) ? ` (tier ${tier} includes it too)` : ''
      return `${accountId} is granted ${scope}${alike}`
    }),
}

const removeGrantCommand: Command = {
  name: 'grants remove',
  parameters: ['account', 'scope'],
  summary: 'removes a granted scope; scopes of the tier stay',
  run: (given) =>
    changeGrant(given, removeGrant, ({ accountId, tier, scope, changed }) => {
      const stays = scopesOfTier(tier).has(scope) ? `; tier ${tier} still includes it` : ''
      return changed
        ? `${accountId} lost the grant ${scope}${stays}`
        : `${accountId} has no grant ${scope}${stays}`
    }),
}

interface GrantChange {
  readonly accountId: string
  readonly tier: Parameters<typeof scopesOfTier>[0]
  readonly scope: ReturnType<typeof parseScope>
  readonly changed: boolean
}

function changeGrant(
  given: CommandInput,
  change: typeof addGrant,
  textOf: (change: GrantChange) => string,
): Promise<Answer> {
  const name = parseAccountName(given.word('account'))
  const scope = parseScope(given.word('scope'))
  return withAccess(given, async (access) => {
    const { accountId, tier } = await findLiveAccount(access, name)
    const changed = await change(access, accountId, scope)
    const { grants } = await findLiveAccount(access, { accountId })
    return {
      json: { account_id: accountId, grants, changed },
      text: `${textOf({ accountId, tier, scope, changed })}\n`,
    }
  })
}

export const KEY_COMMANDS: readonly Command[] = [list, create, revoke, addGrantCommand, removeGrantCommand]
