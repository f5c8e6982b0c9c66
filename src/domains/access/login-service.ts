import { ApiError } from '../../core/errors.js'
import type { ThrottleVerdict } from '../../platform/counters/throttle.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { TOKEN_SECONDS } from '../../platform/secrets/secrets.js'
import {
  type AccountRow,
  findLogins,
  insertAccount,
  newAccount,
  updatePasswordHash,
} from './account-store.js'
import { appendAudit, hasLoggedInFrom } from './audit-store.js'
import {
  type AuthResponse,
  accessPort,
  LOGINS_PER_ACCOUNT,
  LOGINS_PER_ACCOUNT_AND_ADDRESS,
  LOGINS_PER_ADDRESS,
  parseEmail,
  REGISTRATIONS_PER_ADDRESS,
  type Registration,
  throttlePort,
} from './model.js'
import { inTransaction } from './transaction.js'

/**
 * Creates an account on tier free and logs it in. 409 when an account with this e-mail and password exists, 429 when a client
 * address registers too often. Another password creates another account, so that nobody can find out whether an e-mail is
 * registered.
 */
export async function register(context: RequestContext, registration: Registration): Promise<AuthResponse> {
  const { now, clientAddress } = context
  await throttle(context, `register:${clientAddress}`, REGISTRATIONS_PER_ADDRESS)
  const { account: known, passwordHash } = await findLogin(context, registration)
  if (known !== null) throw alreadyRegistered()
  const account = { ...newAccount(now), email: registration.email }
  await inTransaction(context.database, async (tx) => {
    if (!(await insertAccount(tx, { ...account, passwordHash }))) {
      throw alreadyRegistered()
    }
    await appendAudit(tx, {
      at: now,
      action: 'register',
      accountId: account.accountId,
      origin: clientAddress,
      actor: 'self',
    })
  })
  return authResponse(context, account)
}

function alreadyRegistered(): ApiError {
  return new ApiError('conflict', {
    message: 'An account with this e-mail and password exists; log in instead.',
  })
}

/** Finds the account of an e-mail and a password. The steps are the same for an unknown e-mail and a wrong password. */
async function findLogin(
  { ports, database }: RequestContext,
  login: Registration,
): Promise<{ readonly account: AccountRow | null; readonly passwordHash: string }> {
  const access = ports.get(accessPort)
  const passwordHash = await access.hashLogin(login)
  const candidates = await findLogins(database.prisma, login.email, passwordHash)
  const found = candidates.find((candidate) => candidate.passwordHash === passwordHash)
  if (found !== undefined) return { account: withoutHash(found), passwordHash }
  const [older] = candidates
  if (!(await access.passwords.verify(older?.passwordHash ?? null, login.password)) || older === undefined) {
    return { account: null, passwordHash }
  }
  await updatePasswordHash(database.prisma, older.accountId, passwordHash)
  return { account: withoutHash(older), passwordHash }
}

function withoutHash({ passwordHash: _, ...account }: AccountRow & { passwordHash: unknown }): AccountRow {
  return account
}

/**
 * Returns an access token for an e-mail and a password. A wrong password and an unknown e-mail take the same steps (one
 * look-up, one argon2 verification, one audit row) and give the same 401. 429 after too many attempts for an account or from
 * a client address.
 */
export async function login(context: RequestContext, credentials: Registration): Promise<AuthResponse> {
  const { now, clientAddress } = context
  const access = context.ports.get(accessPort)
  const email = parseEmail(credentials.email) ?? ''
  await throttle(context, `login-origin:${clientAddress}`, LOGINS_PER_ADDRESS)
  const emailHash = access.emailHash(email)
  await throttle(context, `login-account:${emailHash}:${clientAddress}`, LOGINS_PER_ACCOUNT_AND_ADDRESS)
  await throttleUnfamiliar(context, email, emailHash)
  const { account } = await findLogin(context, { email, password: credentials.password })
  const action = account === null ? 'login_failed' : 'login'
  const accountId = account?.accountId ?? null
  await appendAudit(context.database.prisma, {
    at: now,
    action,
    accountId,
    origin: clientAddress,
    actor: 'self',
  })
  if (account === null) throw new ApiError('unauthorized', { message: 'E-mail or password is wrong.' })
  return authResponse(context, account)
}

/** Counts a login of the account from any address. Over the limit, only addresses that the owner used before may still log in. */
async function throttleUnfamiliar(context: RequestContext, email: string, emailHash: string): Promise<void> {
  const verdict = await hit(context, `login-account:${emailHash}`, LOGINS_PER_ACCOUNT)
  if (verdict.allowed) return
  const { prisma } = context.database
  if (!(await hasLoggedInFrom(prisma, email, context.clientAddress))) throw tooManyAttempts(verdict)
}

interface AttemptLimit {
  readonly limit: number
  readonly windowSeconds: number
}

/** Counts an attempt; 429 after too many attempts in the window. */
export async function throttle(context: RequestContext, key: string, limit: AttemptLimit): Promise<void> {
  const verdict = await hit(context, key, limit)
  if (!verdict.allowed) throw tooManyAttempts(verdict)
}

function hit(
  { ports }: RequestContext,
  key: string,
  { limit, windowSeconds }: AttemptLimit,
): Promise<ThrottleVerdict> {
  return ports.get(throttlePort).hit(key, limit, windowSeconds)
}

function tooManyAttempts({ retryAt }: ThrottleVerdict): ApiError {
  return new ApiError('rate_limit_exceeded', {
    message: `Too many attempts; try again at ${retryAt.toISOString()}.`,
    retryAfter: Math.ceil(retryAt.getTime() / 1_000),
  })
}

async function authResponse(context: RequestContext, user: AccountRow): Promise<AuthResponse> {
  const token = await context.ports.get(accessPort).tokens.sign(user.accountId, context.now)
  return {
    access_token: token,
    token_type: 'bearer',
    expires_in: TOKEN_SECONDS,
    user,
  }
}
