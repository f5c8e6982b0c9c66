import { hash } from '@node-rs/argon2'
import { ACCESS_PARTS } from '../../../src/access.js'
import { ApiError } from '../../../src/core/errors.js'
import {
  accessPort,
  type Credentials,
  countersPort,
  throttlePort,
  usagePort,
} from '../../../src/domains/access/model.js'
import { type AccountWithKey, createAccountWithKey } from '../../../src/domains/access/operator.js'
import { type AccessOptions, createAccess } from '../../../src/domains/access/service.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/logger.js'
import { createCounters } from '../../../src/platform/quota/create-counters.js'
import { createThrottle } from '../../../src/platform/quota/throttle.js'
import { bindPorts } from '../../../src/platform/request/ports.js'
import type { RequestContext } from '../../../src/platform/request/request-context.js'
import { argon2Passwords, type Passwords } from '../../../src/platform/secrets/secrets.js'
import { createUsageRecorder } from '../../../src/platform/usage/usage.js'
import { ANONYMOUS, type Caller, type Principal } from '../../../src/policy/principal.js'
import { SCOPE_NAMES, type Scope } from '../../../src/policy/scopes.js'
import { type DatabaseKind, openTestDatabase } from '../../support/database/database.js'

export const PEPPER = 'a pepper for tests, 32 characters or more'
const TOKEN_KEYS = `test:${Buffer.alloc(32, 1).toString('base64url')}`

/** All but one: keys that hold it stay as they are. */
export const NOT_SERVED = 'screening:read'
export const SERVED: ReadonlySet<Scope> = new Set(SCOPE_NAMES.filter((scope) => scope !== NOT_SERVED))

export type AccessWorld = Awaited<ReturnType<typeof openAccessWorld>>

/** The least that argon2 allows: tests of the limits of logins compare a hundred passwords. */
const LEAST_COST = { memoryCost: 8, timeCost: 1, parallelism: 1 }

/** Access control on a database of its own, with a clock that the test moves. */
export async function openAccessWorld(kind: DatabaseKind) {
  const database = await openTestDatabase(kind)
  let nowMs = Date.parse('2026-11-20T12:00:00Z')
  const clock = { now: () => new Date(nowMs) }
  const log = createLogger('silent')
  const verified: (string | null)[] = []
  const passwords: Passwords = {
    hash: (password, salt) => hash(password, { ...LEAST_COST, salt }),
    verify: async (hashed, password) => {
      verified.push(hashed)
      // Without an account it would compare with a hash of the usual cost.
      return hashed !== null && argon2Passwords.verify(hashed, password)
    },
  }
  const newAccess = (given: Partial<Pick<AccessOptions, 'pepper'>> = {}) =>
    createAccess({
      database,
      clock,
      log,
      passwords,
      pepper: PEPPER,
      tokenKeys: TOKEN_KEYS,
      mode: 'test',
      servedScopes: SERVED,
      listeners: ACCESS_PARTS.listeners,
      ...given,
    })
  const access = newAccess()
  const counters = createCounters({ database, redisUrl: null, clock, log })
  const usage = createUsageRecorder(database, log)
  const throttle = createThrottle({ database, clock, log })
  const ports = bindPorts([
    { port: accessPort, implementation: access },
    { port: countersPort, implementation: counters },
    { port: usagePort, implementation: usage },
    { port: throttlePort, implementation: throttle },
  ])
  const contextOf = (principal: Principal, given: Partial<RequestContext> = {}): RequestContext => ({
    principal,
    database,
    ports,
    log,
    now: clock.now(),
    requestId: 'request',
    datasets: new Map(),
    clientAddress: 'origin',
    idempotencyKey: null,
    ...given,
  })
  const withKey = async (rawKey: string, given?: Partial<RequestContext>) =>
    contextOf(await access.authenticate({ apiKey: rawKey, bearer: null }), given)
  return {
    database,
    access,
    counters,
    verified,
    clock,
    newAccess,
    withKey,
    anonymous: (given?: Partial<RequestContext>) => contextOf(ANONYMOUS, given),
    advance: (ms: number) => {
      nowMs += ms
    },
    make: (asked: Partial<AccountWithKey> = {}) =>
      createAccountWithKey(access, { tier: 'growth', label: 'first', ...asked }),
    authenticate: (given: Partial<Credentials>) =>
      access.authenticate({ apiKey: null, bearer: null, ...given }),
    audit: () => auditOf(database),
    close: async () => {
      await Promise.all([access.close(), counters.close(), throttle.close(), usage.close()])
      await database.close()
    },
  }
}

async function auditOf(database: Database) {
  return database.rows<{
    action: string
    accountId: string
    keyId: string
    origin: string
    actor: string
    details: unknown
  }>(
    `select action, account_id as "accountId", key_id as "keyId", origin, actor, details from audit_event order by at, action`,
  )
}

/** The caller in a context made by `withKey`. */
export function callerOf(context: RequestContext): Caller {
  if (context.principal.kind === 'anonymous') throw new Error('nobody asks')
  return context.principal
}

/** What a refusal tells a client. */
export async function refusalOf(answer: Promise<unknown> | (() => unknown)) {
  try {
    await (typeof answer === 'function' ? answer() : answer)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, message, requiredScope, details, retryAfter } = error
    return { code, message, requiredScope, details, retryAfter }
  }
  throw new Error('nothing was refused')
}
