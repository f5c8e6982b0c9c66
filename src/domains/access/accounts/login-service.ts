import { ApiError } from '../../../core/errors.js'
import type { ThrottleVerdict } from '../../../platform/quota/throttle.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { TOKEN_SECONDS } from '../../../platform/secrets/secrets.js'
import {
  type AccountRow,
  countSameEmail,
  findLogins,
  insertAccount,
  MAX_SAME_EMAIL,
  newAccount,
  updatePasswordHash,
} from '../account-store.js'
import { appendAudit, hasLoggedInFrom } from '../audit-store.js'
import {
  type AuthResponse,
  accessPort,
  LOGINS_PER_ACCOUNT,
  LOGINS_PER_ACCOUNT_AND_ADDRESS,
  LOGINS_PER_ADDRESS,
  parseEmail,
  REGISTRATIONS_PER_ADDRESS,
  REGISTRATIONS_PER_EMAIL,
  type Registration,
  throttlePort,
} from '../model.js'
import { inTransaction } from '../transaction.js'

/**
 * Creates an account on tier free and logs it in. 409 when an account with this e-mail and password exists, or when the e-mail
 * has as many accounts as it may have. 429 when a client address or an e-mail registers too often. Another password creates
 * another account, so that nobody can find out whether an e-mail is registered.
 */
export async function register(context: RequestContext, registration: Registration): Promise<AuthResponse> {
  const emailHash = context.ports.get(accessPort).emailHash(registration.email)
  const attempts: readonly Attempt[] = [
    [`register:${context.clientAddress}`, REGISTRATIONS_PER_ADDRESS],
    [`register-email:${emailHash}`, REGISTRATIONS_PER_EMAIL],
  ]
  return throttled(context, attempts, () => createAccount(context, registration))
}

async function createAccount(context: RequestContext, registration: Registration): Promise<AuthResponse> {
  const { now, clientAddress } = context
  const { email } = registration
  const { account: known, passwordHash } = await comparePassword(context, registration)
  if (known !== null) throw alreadyRegistered()
  const account = { ...newAccount(now), email }
  await inTransaction(context.database, async (tx) => {
    if ((await countSameEmail(tx, email)) >= MAX_SAME_EMAIL) throw tooManyAccounts()
    if (!(await insertAccount(tx, { ...account, passwordHash }))) throw alreadyRegistered()
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

function tooManyAccounts(): ApiError {
  return new ApiError('conflict', {
    message: `The e-mail has ${MAX_SAME_EMAIL} accounts, which is the most; log in to one of them, or use another e-mail.`,
  })
}

interface ComparedPassword {
  /** Null: the password opens no account of the e-mail. */
  readonly account: AccountRow | null
  readonly passwordHash: string
}

/**
 * Compares a password within all limits of a login. A login and a registration both tell whether a password is right, so both
 * call this function. Over the limit of the account, only an account that logged in from this address before is found.
 */
async function comparePassword(context: RequestContext, login: Registration): Promise<ComparedPassword> {
  const { clientAddress, database, ports } = context
  await throttle(context, `login-origin:${clientAddress}`, LOGINS_PER_ADDRESS)
  const emailHash = ports.get(accessPort).emailHash(login.email)
  await throttle(context, `login-account:${emailHash}:${clientAddress}`, LOGINS_PER_ACCOUNT_AND_ADDRESS)
  const verdict = await hit(context, `login-account:${emailHash}`, LOGINS_PER_ACCOUNT)
  const compared = await findLogin(context, login)
  if (verdict.allowed) return compared
  const accountId = compared.account?.accountId
  if (accountId === undefined || !(await hasLoggedInFrom(database.prisma, accountId, clientAddress)))
    throw tooManyAttempts(verdict)
  return compared
}

/** Finds the account of an e-mail and a password. The steps are the same for an unknown e-mail and a wrong password. */
async function findLogin(
  { ports, database }: RequestContext,
  login: Registration,
): Promise<ComparedPassword> {
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
  const email = parseEmail(credentials.email) ?? ''
  const { account } = await comparePassword(context, { email, password: credentials.password })
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

interface AttemptLimit {
  readonly limit: number
  readonly windowSeconds: number
}

/** What is counted, and its limit. */
type Attempt = readonly [key: string, limit: AttemptLimit]

/**
 * Counts an attempt by each key and runs the work; 429 after too many attempts in the window. An attempt that fails by a fault of
 * the gateway (500) does not count.
 */
export async function throttled<T>(
  context: RequestContext,
  attempts: readonly Attempt[],
  work: () => Promise<T>,
): Promise<T> {
  for (const [key, limit] of attempts) await throttle(context, key, limit)
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'internal_error') await giveBack(context, attempts)
    throw error
  }
}

async function giveBack({ ports, log }: RequestContext, attempts: readonly Attempt[]): Promise<void> {
  try {
    for (const [key, { limit, windowSeconds }] of attempts)
      await ports.get(throttlePort).giveBack(key, limit, windowSeconds)
  } catch (error) {
    log.warn({ err: error }, 'an attempt that failed by a fault of the gateway stays counted')
  }
}

/** Counts an attempt; 429 after too many attempts in the window. */
async function throttle(context: RequestContext, key: string, limit: AttemptLimit): Promise<void> {
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
