import type { Config } from '../config.js'
import { isPooled } from '../platform/database/postgres/is-pooled.js'
import { type Finding, ok, warning } from './finding.js'

const CHECK = 'pooler'
const POSTGRES_PORT = 5_432

/** Checks the settings that a pooler between the gateway and PostgreSQL requires. */
export async function checkPooler({
  databaseUrl,
  isPreparing,
  sqlAddress,
}: Config): Promise<readonly Finding[]> {
  if (databaseUrl === null) return []
  if (!(await isPooled(databaseUrl))) return [ok(CHECK, 'none: DATABASE_URL leads directly to PostgreSQL')]
  const { hostname, port } = new URL(databaseUrl)
  const isOwnAddress = sqlAddress?.host === hostname && sqlAddress.port === (Number(port) || POSTGRES_PORT)
  const findings = [
    ...(isPreparing
      ? [
          warning(
            CHECK,
            'DATABASE_URL leads to a pooler, and the gateway prepares statements; they fail if the pooler shares connections between clients',
            'set DATABASE_PREPARE=false, unless the pooler gives each client its own connection (session mode)',
          ),
        ]
      : []),
    ...(isOwnAddress
      ? [
          warning(
            CHECK,
            `SQL credentials contain ${hostname}:${sqlAddress.port}, which is a pooler that does not know their logins`,
            'set SQL_PUBLIC_ADDRESS to the address of PostgreSQL itself',
          ),
        ]
      : []),
  ]
  return findings.length > 0 ? findings : [ok(CHECK, 'a pooler; the gateway does not prepare statements')]
}
