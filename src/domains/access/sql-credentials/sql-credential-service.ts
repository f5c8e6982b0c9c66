import { randomBytes, randomUUID } from 'node:crypto'
import { ApiError } from '../../../core/errors.js'
import { narrowPublicRights } from '../../../platform/database/sql-roles/public-rights.js'
import { assertRights, loadRights, prepareGroup } from '../../../platform/database/sql-roles/role-group.js'
import type { RoleClient } from '../../../platform/database/sql-roles/role-rights.js'
import { createRole } from '../../../platform/database/sql-roles/role-statements.js'
import { assertAccepted, loadSqlRisks } from '../../../platform/database/sql-roles/sql-risks.js'
import { SQL_SCHEMA } from '../../../platform/database/sql-roles/sql-roles.js'
import { statement } from '../../../platform/database/statement.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { randomBase62 } from '../../../platform/secrets/api-key-format.js'
import { scramVerifier } from '../../../platform/secrets/scram-verifier.js'
import { requireAccess, requireCaller } from '../../../policy/decide.js'
import { VIEW_SCOPES } from '../../../policy/view-scopes.js'
import { throttled } from '../accounts/login-service.js'
import { earlierEnd } from '../keys/key-model.js'
import { loadKeyBounds } from '../keys/key-service.js'
import { ownershipOf } from '../model.js'
import { audit, ownAccount, withOwnAccount } from '../service.js'
import {
  CREDENTIALS_PER_ACCOUNT,
  EMBEDDED_HAS_NO_SQL,
  MAX_ACTIVE_CREDENTIALS,
  mayHaveSql,
  noSuchCredential,
  SQL_NOTE,
  SQL_SCOPE,
  type SqlAddress,
  type SqlCredentialCreated,
  type SqlCredentialRequest,
  sqlAcceptedRisksPort,
  sqlAddressPort,
} from './sql-credential-model.js'
import {
  type CredentialSelect,
  countActiveCredentials,
  countCredentials,
  hasCredential,
  insertCredential,
  LOCK_CREDENTIALS,
  listCredentials,
  revokeCredentials,
  type SelectedCredential,
  scopedViewsOf,
  toRoleClient,
} from './sql-credential-store.js'
import { endDeadRoles } from './sql-credential-upkeep.js'

/** 190 bits. */
const PASSWORD_LENGTH = 32

/**
 * Creates a login of the caller's account and returns its password, which cannot be read again. One transaction writes row,
 * role and rights. 409 when the account has three active credentials. 503 on the embedded database, when the gateway's
 * database user may not create roles, and when a login could do more than the operator accepts.
 */
export async function createSqlCredential(
  context: RequestContext,
  request: SqlCredentialRequest,
): Promise<SqlCredentialCreated> {
  const { database, ports } = context
  const address = ports.get(sqlAddressPort)
  if (database.kind === 'pglite' || address === null) {
    throw new ApiError('service_unavailable', { message: EMBEDDED_HAS_NO_SQL })
  }
  const key = `sql-credentials:${requireCaller(context.principal).accountId}`
  return throttled(context, [[key, CREDENTIALS_PER_ACCOUNT]], () => createLogin(context, request, address))
}

function createLogin(
  context: RequestContext,
  { label, expiresAt }: SqlCredentialRequest,
  address: SqlAddress,
): Promise<SqlCredentialCreated> {
  const { now } = context
  const caller = requireCaller(context.principal)
  const password = randomBase62(PASSWORD_LENGTH, randomBytes)
  return withOwnAccount(context, async (tx, account) => {
    // The principal may be half a second old.
    if (!mayHaveSql(account)) requireAccess({ ...caller, scopes: new Set() }, SQL_SCOPE)
    const { endsAt } = await loadKeyBounds(tx, caller, now)
    const client = toRoleClient(tx)
    await client.script(LOCK_CREDENTIALS)
    const rights = await loadRights(client)
    assertRights(rights)
    if ((await countActiveCredentials(tx, caller.accountId, now)) >= MAX_ACTIVE_CREDENTIALS) {
      throw new ApiError('conflict', {
        message: `An account has at most ${MAX_ACTIVE_CREDENTIALS} active SQL credentials; revoke one first.`,
      })
    }
    await prepareGroup(client, rights, [...VIEW_SCOPES.keys()])
    await narrowPublicRights(client, rights)
    assertAccepted(await loadSqlRisks(client, rights), context.ports.get(sqlAcceptedRisksPort))
    const credential = {
      credentialId: randomUUID(),
      accountId: caller.accountId,
      keyId: caller.keyId,
      roleName: await freeRoleName(client),
      label,
      createdAt: now,
      expiresAt: earlierEnd(expiresAt, endsAt) ?? expiresAt,
    }
    const role = {
      name: credential.roleName,
      verifier: scramVerifier(password),
      expiresAt: credential.expiresAt,
      group: rights.group,
      views: scopedViewsOf(caller.scopes),
      database: rights.database,
    }
    for (const text of createRole(role, rights.isSuperuser)) await client.script(text)
    await insertCredential(tx, credential)
    await audit(tx, context, {
      action: 'sql_credential_created',
      details: { credential_id: credential.credentialId, username: credential.roleName },
    })
    return {
      credential_id: credential.credentialId,
      username: credential.roleName,
      password,
      ...address,
      database: rights.database,
      schema: SQL_SCHEMA,
      created_at: now,
      expires_at: credential.expiresAt,
      note: SQL_NOTE,
    }
  })
}

// Plain SQL: Prisma has no model for PostgreSQL roles.
const IS_TAKEN = statement(
  'lacks role',
  { isTaken: 'bool' },
  `select exists (select from pg_roles where rolname = $1)
     or exists (select from sql_credential where role_name = $1) as "isTaken"`,
)

/** All databases of a PostgreSQL server share one set of role names. */
async function freeRoleName(client: Pick<RoleClient, 'rows'>): Promise<string> {
  for (;;) {
    const name = `sql_${randomBytes(4).toString('hex')}`
    const [row] = await client.rows(IS_TAKEN, [name])
    if (row?.isTaken === false) return name
  }
}

/** Credentials listed at once. */
const MAX_LISTED = 100

/** Lists selected columns of the credentials that the caller may see, active ones first; at most 100. `total` counts all. */
export async function listSqlCredentials<Select extends CredentialSelect>(
  context: RequestContext,
  { select }: { readonly select: Select },
): Promise<{ readonly credentials: readonly SelectedCredential<Select>[]; readonly total: number }> {
  const { database, now } = context
  await ownAccount(context, { select: { accountId: true } })
  const ownership = ownershipOf(requireCaller(context.principal))
  const credentials = await listCredentials(database.prisma, ownership, { now, limit: MAX_LISTED, select })
  return { credentials, total: await countCredentials(database.prisma, ownership) }
}

/**
 * Ends a credential and its open sessions. Repeating it changes nothing. 404 for a credential that the caller may not see.
 * 503 when its role could not be ended yet: the credential is revoked then, and the guard of every node tries again.
 */
export async function revokeSqlCredential(context: RequestContext, credentialId: string): Promise<void> {
  const ownership = ownershipOf(requireCaller(context.principal))
  await withOwnAccount(context, async (tx) => {
    if (!(await hasCredential(tx, ownership, credentialId))) throw noSuchCredential()
    const revoked = await revokeCredentials(tx, { ...ownership, credentialId }, context.now)
    if (revoked.length === 0) return
    const details = { credential_id: credentialId }
    await audit(tx, context, { action: 'sql_credential_revoked', details })
  })
  try {
    await endDeadRoles(context.database)
  } catch (error) {
    throw new ApiError('service_unavailable', {
      message: 'The credential is revoked, but its login could not be ended yet; repeat the request.',
      cause: error,
    })
  }
}
