import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config.js'
import { createAccountWithKey } from '../../src/domains/access/operator.js'
import type { SqlCredentialCreated } from '../../src/domains/access/sql-credentials/sql-credential-model.js'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { migrate } from '../../src/platform/database/migrate.js'
import { createLogger } from '../../src/platform/logger.js'
import { type SqlGuard, startSqlGuard } from '../../src/process/duties/sql-guard.js'
import { startTestApp, type TestApp, TestClock } from '../support/app/app.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { MIGRATIONS } from '../support/database/database.js'
import { type Cluster, clusterBinaries, startPrimary } from '../support/database/postgres-cluster.js'
import { connectAs, type HolderSession } from '../support/database/sql-world.js'
import { eventually } from '../support/eventually.js'
import { waitedMs } from '../support/waited-ms.js'

/** A second, and what a busy machine may add: what the guard does not end goes on for longer, or for ever. */
const SOON_MS = 20_000
/** Several passes of the guard. */
const PASSES_MS = 2_500
/** Before an orchestrator kills the process, on the timers of the process. */
const END_MS = 9_500
/** Of the test's servers. */
const MAX_CONNECTIONS = 60

/** Servers that ask every role but their superuser for its password. */
describe.skipIf(clusterBinaries() === null)('SQL roles on separate servers', { timeout: 120_000 }, () => {
  let primary: Cluster
  let replica: Cluster
  let database: Database
  let app: TestApp
  let guard: SqlGuard
  const lines: string[] = []
  const sessions: HolderSession[] = []

  beforeAll(async () => {
    primary = await startPrimary()
    const client = new pg.Client({ connectionString: primary.url })
    await client.connect()
    const { rows } = await client.query<{ file: string }>("select current_setting('hba_file') as file")
    const rules = [
      'host replication postgres 127.0.0.1/32 trust',
      'host all postgres 127.0.0.1/32 trust',
      'host all all 127.0.0.1/32 scram-sha-256',
    ]
    await client.query(`copy (select unnest(array['${rules.join("','")}'])) to '${rows[0]?.file}'`)
    await client.query('select pg_reload_conf()')
    await client.end()
    replica = await primary.newReplica()
    const env = { ...OWN_SECRETS, DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: replica.url }
    database = await openDatabase({ kind: 'postgres', url: primary.url, poolSize: 4 })
    await migrate(database, MIGRATIONS)
    await database.script('create or replace view star_public.one as select 1 as one')
    app = await startTestApp('postgres', { database, env, clock: new TestClock(new Date()) })
    const log = createLogger('info', { write: (line: string) => void lines.push(line) })
    guard = startSqlGuard(loadConfig({ NODE_ENV: 'test', ...env }), log)
  })
  afterEach(async () => {
    for (const session of sessions.splice(0)) await session.close()
  })
  afterAll(async () => {
    await guard?.stop()
    await app?.close()
    await database?.close()
    await replica?.remove()
    await primary?.remove()
  })

  async function credentials(count = 1): Promise<readonly SqlCredentialCreated[]> {
    const { raw_key: key } = await createAccountWithKey(app.access, { tier: 'pro', label: 'x' })
    const made: SqlCredentialCreated[] = []
    for (let at = 0; at < count; at += 1) {
      const path = '/v1/billing/sql-credentials'
      const answer = await app.rest<SqlCredentialCreated>(path, { key, method: 'POST', body: {} })
      expect(answer.status).toBe(201)
      made.push(answer.body)
    }
    return made
  }
  async function session(of: SqlCredentialCreated): Promise<HolderSession> {
    const opened = await connectAs(of)
    sessions.push(opened)
    return opened
  }

  it('can log in with their password before their end, and not otherwise', async () => {
    const [own] = (await credentials()) as [SqlCredentialCreated]
    expect(await (await session(own)).run('select * from one')).toEqual([[1]])
    const refused = /password authentication failed/
    for (const password of ['', own.password.toLowerCase(), `${own.password}x`])
      await expect(connectAs({ ...own, password })).rejects.toThrow()
    await database.rows(`alter role ${own.username} valid until '2026-01-01'`)
    await expect(connectAs(own)).rejects.toThrow(refused)
  })

  it('are watched on replicas too', async () => {
    const [own] = (await credentials()) as [SqlCredentialCreated]
    const { hostname, port } = new URL(replica.url)
    const there = { ...own, host: hostname, port: Number(port) }
    const opened = await session(await reached(there))
    await opened.run('set statement_timeout to 0')
    const slow = opened.refusal('select pg_sleep(60)')
    expect(await opened.endsWithin(6_000 + SOON_MS)).toBeGreaterThan(4_900)
    expect(await slow).toBe('57P01')
    const locked = await session(there)
    await locked.run('select pg_advisory_lock(1)')
    await locked.endsWithin(SOON_MS)
  })

  /** Waits for the replica to have the role. */
  async function reached(there: SqlCredentialCreated): Promise<SqlCredentialCreated> {
    for (let tries = 0; ; tries += 1) {
      try {
        await (await connectAs(there)).close()
        return there
      } catch (error) {
        if (tries > 100) throw error
        await sleep(50)
      }
    }
  }

  it('have together at most half of the connections of the server', async () => {
    const made = [...(await credentials(3)), ...(await credentials(3)), ...(await credentials(1))]
    await Promise.all(made.flatMap((each) => Array.from({ length: 5 }, () => session(each))))
    await sleep(PASSES_MS)
    expect(sessions.filter(({ isOpen }) => isOpen)).toHaveLength(MAX_CONNECTIONS / 2)
  })

  it('are watched again after the server was away, which is logged once', async () => {
    const [own] = (await credentials()) as [SqlCredentialCreated]
    lines.length = 0
    await primary.kill()
    const complaints = () => lines.filter((line) => line.includes('could not be looked after'))
    await eventually(() => expect(complaints()).not.toEqual([]))
    await sleep(PASSES_MS)
    expect(complaints()).toHaveLength(1)
    await primary.start()
    const holder = await session(own)
    await holder.run('select pg_advisory_lock(1)')
    await holder.endsWithin(SOON_MS)
  })

  it('do not delay the end of the process while the server is frozen', async () => {
    primary.freeze()
    const waited = await waitedMs(() => guard.stop())
    expect(waited).toBeLessThan(END_MS)
    primary.thaw()
  })
})
