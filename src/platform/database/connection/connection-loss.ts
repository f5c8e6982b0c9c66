import { ApiError } from '../../../core/errors.js'
import { NONE_IS_FREE, NOT_CONNECTED, POOL_REFUSALS, QUEUE_IS_FULL } from './pool-refusals.js'

/** The database in the texts of failures. */
export const DATABASE_PART = 'the database'

/**
 * The loss of a database connection (refused, broken, ended by the server, no free one or no result in time), as the driver,
 * Prisma's adapter or Prisma's client throws it → `service_unavailable` with that error as its cause. Any other
 * error, an SQL error among them, as it is. Plain SQL throws through this already; for what Prisma's client
 * throws, the transports call it.
 */
export function asUnavailable(error: unknown): unknown {
  return isConnectionLoss(error)
    ? new ApiError('service_unavailable', { part: DATABASE_PART, cause: error })
    : error
}

/** The pool's refusals while the server answers and every connection is in use. */
const BUSY: ReadonlySet<unknown> = new Set([QUEUE_IS_FULL, NONE_IS_FREE])

/** Whether a failure says that the database does not answer, and not only that this process asks it for too much. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof ApiError && error.part === DATABASE_PART)) return false
  return !(error.cause instanceof Error && BUSY.has(error.cause.message))
}

const NEVER_SENT = new WeakSet<object>()

/** Marks that the failed statement was not sent to the server; returns the error. */
export function markNeverSent(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) NEVER_SENT.add(error)
  return error
}

/** Whether the failed statement certainly changed nothing, because the server never received it. */
export function wasNeverSent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && NEVER_SENT.has(error)
}

const LOST_CODES: ReadonlySet<unknown> = new Set([
  // sockets
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // SQLSTATE: ended by the operator, crash, not accepting yet, idle too long (in a transaction), statement too long, too
  // many connections
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  '57014',
  '53300',
  // SQLSTATE: the server refuses a new connection: another password, or no right to log in
  '28P01',
  '28000',
  // SQLSTATE: the server ended one of two transactions that waited for each other
  '40P01',
  // SQLSTATE class 08, connection exception
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '08007',
  // Prisma: not reachable, time-out, socket time-out, closed, pool time-out, too many connections
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
  'P2037',
  // A statement took longer than our limit: Prisma's client copies the code of that error into its error.
  'service_unavailable',
])

/**
 * PgBouncer ends clients with this code for any reason, such as its own restart. PostgreSQL uses it for a message that
 * breaks the protocol, and does not end the connection.
 */
const POOLER_CODE = '08P01'

const READ_TIME_OUT = 'Query read timeout'
/** Messages of the pool and of a single client. */
const CONNECT_TIME_OUTS = ['Connection terminated due to connection timeout', 'timeout expired'] as const

const TIME_OUTS: ReadonlySet<string> = new Set([READ_TIME_OUT, NOT_CONNECTED, ...CONNECT_TIME_OUTS])

/** Whether an error of the driver says that the server gave no result, or accepted no connection, in time. */
export function isTimeOut(error: unknown): boolean {
  return error instanceof Error && TIME_OUTS.has(error.message)
}

// Errors of pg and of our pool that have no code, only these texts.
const DRIVER_TEXTS: ReadonlySet<unknown> = new Set([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Client has encountered a connection error and is not queryable',
  'timeout exceeded when trying to connect',
  ...TIME_OUTS,
  'Cannot use a pool after calling end on the pool',
  ...POOL_REFUSALS,
])

/** Kinds of @prisma/adapter-pg's errors; Prisma's client carries them in its own errors. */
const ADAPTER_KINDS: ReadonlySet<unknown> = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
])

/** An error as any of the three layers makes it; every field is only compared. */
interface ErrorShape {
  readonly code?: unknown
  readonly originalCode?: unknown
  readonly severity?: unknown
  readonly message?: unknown
  readonly kind?: unknown
  readonly cause?: unknown
  readonly meta?: { readonly driverAdapterError?: unknown }
}

function isConnectionLoss(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || error instanceof ApiError) return false
  const { code, originalCode, severity, message, kind, cause, meta }: ErrorShape = error
  if (code === POOLER_CODE && severity === 'FATAL') return true
  if (LOST_CODES.has(code) || LOST_CODES.has(originalCode)) return true
  if (DRIVER_TEXTS.has(message) || ADAPTER_KINDS.has(kind)) return true
  return isConnectionLoss(cause) || isConnectionLoss(meta?.driverAdapterError)
}
