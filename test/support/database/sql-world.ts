import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import type { SqlCredentialCreated } from '../../../src/domains/access/sql-credentials/sql-credential-model.js'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { migrate } from '../../../src/platform/database/migrate.js'
import { SQL_RISKS, type SqlRisk } from '../../../src/platform/database/sql-roles/sql-risk-names.js'
import { BATCH_LIMITS } from '../../../src/platform/database/statement-limits.js'
import { createLogger } from '../../../src/platform/logger.js'
import { type SqlGuard, startSqlGuard } from '../../../src/process/duties/sql-guard.js'
import { startTestApp, type TestApp, TestClock } from '../app/app.js'
import { OWN_SECRETS } from '../app/secrets.js'
import { createPostgresDatabase, dropPostgresDatabase, MIGRATIONS } from './database.js'

/** Rights of the gateway's own database user. */
export const GATEWAY_USERS = {
  superuser: 'SUPERUSER',
  'creator of roles': 'NOSUPERUSER CREATEROLE',
  'plain user': 'NOSUPERUSER NOCREATEROLE',
} as const

export type GatewayUser = keyof typeof GATEWAY_USERS

/** A gateway whose database belongs to a user of its own, with real roles. */
export interface SqlWorld {
  readonly env: Readonly<Record<string, string>>
  /** URL of the database, as the gateway's user. */
  readonly url: string
  readonly user: string
  readonly database: Database
  readonly app: TestApp
  /** Another node on the same database. */
  newNode(): Promise<TestApp>
  startGuard(): Promise<SqlGuard>
  /** Lines of the guards' log. */
  readonly guardLines: readonly string[]
  /** A statement as the superuser of the server, in this database unless another is named. */
  asSuperuser(sql: string, parameters?: readonly unknown[], database?: string): Promise<readonly unknown[][]>
  close(): Promise<void>
}

const serverUrl = () => {
  const url = inject('postgresUrl')
  if (url === null) throw new Error('PostgreSQL does not answer; ask availableDatabases() first')
  return url
}

/** A table that is not for holders, and views of the schema where no migration has made any. */
const OBJECTS = `
  CREATE TABLE "sql_world_secret" ("value" TEXT);
  INSERT INTO "sql_world_secret" VALUES ('not for holders');
  CREATE VIEW "star_public"."sql_world_asset" AS SELECT "value" FROM "sql_world_secret";`

/**
 * `acceptedRisks`: what logins may do besides reading. By default everything, so that tests see that the gateway ends sessions
 * which do more than read.
 */
export async function openSqlWorld(
  kind: GatewayUser,
  acceptedRisks: readonly SqlRisk[] = SQL_RISKS,
): Promise<SqlWorld> {
  const user = `gateway_${randomBytes(4).toString('hex')}`
  const password = randomBytes(12).toString('hex')
  const adminUrl = await createPostgresDatabase()
  const name = new URL(adminUrl).pathname.slice(1)
  const asSuperuser: SqlWorld['asSuperuser'] = async (sql, parameters = [], database = name) => {
    const client = new pg.Client({ connectionString: urlIn(serverUrl(), database) })
    await client.connect()
    try {
      const { rows } = await client.query({ text: sql, values: [...parameters], rowMode: 'array' })
      return rows
    } finally {
      await client.end()
    }
  }
  await asSuperuser(`CREATE ROLE ${user} LOGIN PASSWORD '${password}' ${GATEWAY_USERS[kind]}`)
  await asSuperuser(`ALTER DATABASE "${name}" OWNER TO ${user}`)
  const own = new URL(adminUrl)
  own.username = user
  own.password = password
  const url = own.href
  const making = await openDatabase({ kind: 'postgres', url, poolSize: 1 }, { limits: BATCH_LIMITS })
  await migrate(making, MIGRATIONS)
  await making.script(OBJECTS)
  await making.close()
  const env = {
    ...{ ...OWN_SECRETS, DATABASE_URL: url, TRUST_PROXY: 'true' },
    SQL_ACCEPTED_RISKS: acceptedRisks.join(','),
  }
  const database = await openDatabase({ kind: 'postgres', url, poolSize: 6 })
  const guardLines: string[] = []
  const guards: SqlGuard[] = []
  const nodes: { app: TestApp; database: Database }[] = []
  // The server's own clock ends roles.
  const clock = new TestClock(new Date())
  const startApp = (on: Database) => startTestApp('postgres', { database: on, env, clock })
  const app = await startApp(database)
  return {
    env,
    url,
    user,
    database,
    app,
    guardLines,
    asSuperuser,
    newNode: async () => {
      const ofNode = await openDatabase({ kind: 'postgres', url, poolSize: 6 })
      const node = { app: await startApp(ofNode), database: ofNode }
      nodes.push(node)
      return node.app
    },
    startGuard: async () => {
      const log = createLogger('info', { write: (line: string) => void guardLines.push(line) })
      const guard = startSqlGuard(loadConfig({ NODE_ENV: 'test', ...env }), log)
      guards.push(guard)
      return guard
    },
    close: async () => {
      for (const guard of guards) await guard.stop()
      for (const node of nodes) {
        await node.app.close()
        await node.database.close()
      }
      await app.close()
      await database.close()
      await asSuperuser(`DROP OWNED BY ${user}`)
      await dropPostgresDatabase(adminUrl)
      await asSuperuser(`DROP ROLE ${user}`, [], 'postgres')
    },
  }
}

export function urlIn(url: string, database: string): string {
  const other = new URL(url)
  other.pathname = `/${database}`
  return other.href
}

/** A session of a holder: what it gets, and how it ends. */
export interface HolderSession {
  /** Rows as arrays; throws the server's error. */
  run(sql: string, parameters?: readonly unknown[]): Promise<readonly unknown[][]>
  /** SQLSTATE of the refusal, or null when the statement worked. */
  refusal(sql: string, parameters?: readonly unknown[]): Promise<string | null>
  /** Milliseconds until the server has ended it; throws when it has not within the time. */
  endsWithin(ms: number): Promise<number>
  readonly isOpen: boolean
  close(): Promise<void>
}

/** Connects as the answer of the API says. */
export async function connectAs(
  { host, port, username, password, database }: SqlCredentialCreated,
  elsewhere: { readonly database?: string } = {},
): Promise<HolderSession> {
  const client = new pg.Client({ host, port, user: username, password, database, ...elsewhere })
  let isOpen = true
  client.on('error', () => {}) // ended by the server: `endsWithin` sees it
  client.once('end', () => {
    isOpen = false
  })
  await client.connect()
  const run: HolderSession['run'] = async (sql, parameters = []) =>
    (await client.query({ text: sql, values: [...parameters], rowMode: 'array' })).rows
  return {
    run,
    refusal: async (sql, parameters) => {
      try {
        await run(sql, parameters)
        return null
      } catch (error) {
        return error instanceof pg.DatabaseError ? (error.code ?? '?') : String(error)
      }
    },
    endsWithin: async (ms) => {
      const startedAt = performance.now()
      while (isOpen) {
        const tookMs = performance.now() - startedAt
        if (tookMs > ms) throw new Error(`the session is open after ${Math.round(tookMs)} ms`)
        await sleep(10)
      }
      return performance.now() - startedAt
    },
    get isOpen() {
      return isOpen
    },
    close: async () => {
      if (isOpen) await client.end()
    },
  }
}
