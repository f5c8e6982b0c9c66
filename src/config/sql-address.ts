import type { z } from 'zod'
import type { Environment } from './environment.js'

/** Address at which users with SQL credentials reach PostgreSQL. */
export interface SqlServerAddress {
  readonly host: string
  readonly port: number
}

const POSTGRES_PORT = 5_432

/** The configured address, else that of DATABASE_URL; localhost for a Unix socket. Null on the embedded database. */
export function parseSqlAddress({
  DATABASE_URL,
  SQL_PUBLIC_ADDRESS,
}: z.infer<typeof Environment>): SqlServerAddress | null {
  if (!DATABASE_URL || !URL.canParse(DATABASE_URL)) return null
  const { hostname, port } = new URL(SQL_PUBLIC_ADDRESS ? `postgresql://${SQL_PUBLIC_ADDRESS}` : DATABASE_URL)
  const isSocket = hostname === '' || hostname.startsWith('%2F')
  return {
    host: isSocket ? 'localhost' : hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || POSTGRES_PORT,
  }
}
