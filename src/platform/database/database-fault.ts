import { failureText } from '../../core/failure-text.js'

/** Why a database cannot be used, and what to do about it. */
export interface DatabaseFault {
  readonly message: string
  readonly advice: string
  /** Whether the database may open by itself soon, as one that starts. */
  readonly isTemporary: boolean
}

/** The codes of sockets and of PostgreSQL (SQLSTATE): what they mean, and what to do. */
const FAULTS: Readonly<Record<string, Omit<DatabaseFault, 'isTemporary'> & { readonly isTemporary?: true }>> =
  {
    ECONNREFUSED: {
      message: 'it refused the connection, so no PostgreSQL listens there',
      advice: 'start PostgreSQL, or correct host and port in DATABASE_URL',
      isTemporary: true,
    },
    ENOTFOUND: {
      message: 'the name of the host is unknown',
      advice: 'correct the host in DATABASE_URL',
      isTemporary: true,
    },
    '28P01': { message: 'it refused the password', advice: 'correct user and password in DATABASE_URL' },
    '28000': {
      message: 'it does not let the user in',
      advice: 'correct the user in DATABASE_URL, or pg_hba.conf of the server',
    },
    '3D000': {
      message: 'the database does not exist',
      advice: 'create it (createdb), or correct the name in DATABASE_URL',
    },
    '57P03': {
      message: 'it starts or stops',
      advice: 'wait until PostgreSQL has started',
      isTemporary: true,
    },
    '53300': {
      message: 'it has no free connection',
      advice: 'raise max_connections of the server, or lower DATABASE_POOL_SIZE',
      isTemporary: true,
    },
  }

const NO_ANSWER: DatabaseFault = {
  message: 'it does not answer',
  advice: 'check the network and firewalls between this machine and PostgreSQL, and the host in DATABASE_URL',
  isTemporary: true,
}

/** Explains an error of the first contact with the PostgreSQL server at this address. */
export function postgresFault(databaseUrl: string, error: unknown): DatabaseFault {
  const { host, pathname } = new URL(databaseUrl)
  const code = codesOf(error).find((one) => one in FAULTS)
  const { message, advice, isTemporary = false } = (code && FAULTS[code]) || NO_ANSWER
  const cause = failureText(error).replace(/^the database cannot be used: /, '')
  return {
    message: `${host || 'the local socket'}${pathname} cannot be opened: ${message} (${cause})`,
    advice,
    isTemporary,
  }
}

/** The codes of an error and of its causes. */
function codesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return []
  const own = 'code' in error ? [String(error.code)] : []
  const others = error instanceof AggregateError ? error.errors : [error.cause]
  return [...own, ...others.flatMap(codesOf)]
}
