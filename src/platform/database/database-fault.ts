import { failureText } from '../../core/failure-text.js'

/** Why a database cannot be used, and what to do about it. */
export interface DatabaseFault {
  readonly message: string
  readonly advice: string
}

/** Explains an error of the first contact with the PostgreSQL server at this address. */
export function postgresFault(databaseUrl: string, error: unknown): DatabaseFault {
  const { host, pathname } = new URL(databaseUrl)
  return {
    message: `${host || 'the local socket'}${pathname} cannot be opened: ${failureText(error)}`,
    advice: 'check that PostgreSQL runs there, and host, database, user and password in DATABASE_URL',
  }
}
