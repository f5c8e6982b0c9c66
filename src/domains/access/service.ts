import { randomBytes } from 'node:crypto'
import { unauthorized } from '../../core/errors.js'
import type { Clock } from '../../core/time.js'
import type { Database } from '../../platform/database/database.js'
import { loadLoginSalt, saltOfEmail } from '../../platform/installation/login-salt.js'
import type { Logger } from '../../platform/logger.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import {
  type ApiKeyMode,
  type ApiKeyText,
  explainApiKey,
  keyPrefix,
  makeApiKey,
  parseApiKey,
} from '../../platform/secrets/api-key-format.js'
import {
  argon2Passwords,
  createAccessTokens,
  keyDigest,
  keyedHash,
  type Passwords,
  parseTokenKeys,
} from '../../platform/secrets/secrets.js'
import { requireCaller } from '../../policy/decide.js'
import { ANONYMOUS, type Caller, type Principal } from '../../policy/principal.js'
import type { Scope } from '../../policy/scopes.js'
import {
  type AccountRow,
  type AccountSelect,
  anonymiseAccount,
  findSelectedAccount,
  lockAccount,
  type SelectedAccount,
} from './account-store.js'
import { type AuditEvent, appendAudit } from './audit-store.js'
import { createKeyFinder } from './keys/key-finder.js'
import { explainEnd } from './keys/key-model.js'
import { revokeKeys } from './keys/key-store.js'
import type { AccountListeners } from './listener-model.js'
import { type CallerRecord, cacheTokenCallers, LastUsed } from './loaders.js'
import { type Access, accessPort } from './model.js'
import { revokeCredentials } from './sql-credentials/sql-credential-store.js'
import { endDeadRoles } from './sql-credentials/sql-credential-upkeep.js'
import { type AccessClient, inTransaction } from './transaction.js'

export interface AccessOptions extends AccountListeners {
  readonly database: Database
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
  /** Pepper of keyed hashes. */
  readonly pepper: string
  /** `kid:base64url[,kid:base64url…]`; the first signs. */
  readonly tokenKeys: string
  /** Whether new keys begin with mdg_live or mdg_test. */
  readonly mode: ApiKeyMode
  /** Scopes that new keys may be narrowed to and that lists of keys show. */
  readonly servedScopes: ReadonlySet<Scope>
  readonly passwords?: Passwords
}

/** Creates the access control of a process. Throws when the token keys cannot be parsed. Close it before its database. */
export function createAccess(options: AccessOptions): Access {
  const { database, clock, log, pepper } = options
  const tokens = createAccessTokens(parseTokenKeys(options.tokenKeys))
  const keys = createKeyFinder(database)
  const accounts = cacheTokenCallers(database)
  const lastUsed = new LastUsed(database, log)
  const passwords = options.passwords ?? argon2Passwords
  let salt: Uint8Array | null = null
  const loginSalt = async () => {
    salt ??= await loadLoginSalt(database)
    return salt
  }
  const byToken = async (text: string, now: Date): Promise<CallerRecord> => {
    const record = await accounts.get(await tokens.verify(text, now))
    if (record === null) throw noAccount('token')
    return record
  }
  const principalOf = (record: CallerRecord | null, now: Date): Principal => {
    // Only a caller who has the whole secret learns that a key was revoked or has expired.
    if (record === null) throw unauthorized('X-API-Key', 'is unknown; no account has this key')
    const ended = explainEnd(record, now)
    if (ended !== null) throw unauthorized('X-API-Key', ended)
    if (record.caller.keyId !== null) lastUsed.note(record.caller.keyId, now)
    return record.caller
  }
  const recognise: Access['recognise'] = ({ apiKey, bearer }, now = clock.now()) => {
    if (apiKey === null && bearer === null) return ANONYMOUS
    const record = apiKey === null ? byToken(bearer ?? '', now) : keys.find(apiKey, parseKey)
    return record instanceof Promise
      ? record.then((read) => principalOf(read, now))
      : principalOf(record, now)
  }
  return {
    database,
    clock,
    servedScopes: options.servedScopes,
    listeners: options.listeners,
    tokens,
    passwords,
    hashLogin: async ({ email, password }) => passwords.hash(password, saltOfEmail(await loginSalt(), email)),
    authenticate: async (credentials, now) => recognise(credentials, now),
    recognise,
    newKey: (mode = options.mode) => {
      const rawKey = makeApiKey(mode, randomBytes)
      return { rawKey, digest: keyDigest(rawKey), keyPrefix: keyPrefix(rawKey) }
    },
    emailHash: (email) => keyedHash(pepper, email),
    forget: (accountId, digests) => {
      accounts.forget(accountId)
      keys.forget(digests)
    },
    close: () => lastUsed.close(),
  }
}

/** Throws 401 with the reason for a text that is no API key. */
function parseKey(text: string): ApiKeyText {
  const key = parseApiKey(text)
  if (key === null) throw unauthorized('X-API-Key', explainApiKey(text) ?? 'is not an API key')
  return key
}

/** The 401 for a credential whose account was deleted. */
function noAccount(kind: Caller['kind']) {
  const field = kind === 'key' ? 'X-API-Key' : 'Authorization'
  return unauthorized(field, 'belongs to an account that no longer exists')
}

/** Loads selected columns of the caller's account from the database. */
export async function ownAccount<Select extends AccountSelect>(
  context: RequestContext,
  selected: { readonly select: Select },
): Promise<SelectedAccount<Select>> {
  const { accountId, kind } = requireCaller(context.principal)
  const account = await findSelectedAccount(context.database.prisma, accountId, selected)
  // The account was deleted within the half second for which callers are cached.
  if (!account) throw noAccount(kind)
  return account
}

/** Deletes the personal data of the caller's account and ends all its keys, tokens and SQL credentials at once. Usage totals stay. */
export async function deleteMe(context: RequestContext): Promise<void> {
  const { accountId } = requireCaller(context.principal)
  const { digests, credentials } = await withOwnAccount(context, async (tx) => {
    const revoked = await revokeKeys(tx, accountId, null, context.now)
    const ended = await revokeCredentials(tx, { accountId }, context.now)
    await anonymiseAccount(tx, context.ports.get(accessPort), accountId, context.now)
    await audit(tx, context, { action: 'account_deleted' })
    return { digests: revoked.map(({ digest }) => digest), credentials: ended }
  })
  context.ports.get(accessPort).forget(accountId, digests)
  if (credentials.length > 0) await endRolesNow(context)
}

/** Ends the roles of ended credentials. When that fails, the guard of every node tries again. */
export async function endRolesNow({ database, log }: RequestContext): Promise<void> {
  await endDeadRoles(database).catch((error: unknown) => {
    log.warn({ err: error }, 'could not end the SQL roles of ended credentials; it is tried again')
  })
}

/** Runs `work` in a transaction that locks the caller's account, so that changes of its keys run one after another. */
export function withOwnAccount<T>(
  context: RequestContext,
  work: (tx: AccessClient, account: AccountRow) => Promise<T>,
): Promise<T> {
  return inTransaction(context.database, async (tx) => {
    const { accountId, kind } = requireCaller(context.principal)
    const account = await lockAccount(tx, accountId)
    if (account === null) throw noAccount(kind)
    return work(tx, account)
  })
}

/** Adds what the caller did to the audit. */
export async function audit(
  tx: AccessClient,
  { now, clientAddress, principal }: RequestContext,
  event: Pick<AuditEvent, 'action' | 'keyId' | 'details'>,
): Promise<void> {
  const { accountId } = requireCaller(principal)
  await appendAudit(tx, { ...event, at: now, accountId, origin: clientAddress, actor: 'self' })
}

/** Like `withOwnAccount`, for the account of a signed link. Returns null when the account no longer exists. */
export function withLinkedAccount<T>(
  database: Database,
  accountId: string,
  work: (tx: AccessClient, account: AccountRow) => Promise<T>,
): Promise<T | null> {
  return inTransaction(database, async (tx) => {
    const account = await lockAccount(tx, accountId)
    return account === null ? null : work(tx, account)
  })
}

/** Adds what the holder of a signed link did to the audit. */
export function auditLink(
  tx: AccessClient,
  event: Pick<AuditEvent, 'action' | 'at' | 'origin'> & { readonly accountId: string },
): Promise<void> {
  return appendAudit(tx, { ...event, actor: 'self' })
}
