import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/platform/database/database.js'
import { postgresFault } from '../../src/platform/database/database-fault.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import {
  availableDatabases,
  createPostgresDatabase,
  dropPostgresDatabase,
} from '../support/database/database.js'
import { type Cluster, clusterBinaries, startPrimary } from '../support/database/postgres-cluster.js'
import { startCuttableProxy } from '../support/peers/cuttable-proxy.js'
import { cleanUp, newDataDir, runToEnd, START_MS, startGateway } from './gateway.js'

afterAll(cleanUp)

const start = (url: string) =>
  runToEnd('src/main.ts', [], { ...OWN_SECRETS, DATA_DIR: newDataDir(), DATABASE_URL: url })

describe.runIf(availableDatabases().includes('postgres'))('a start', { timeout: 2 * START_MS }, () => {
  it('waits for a database that does not answer yet', async () => {
    const url = await createPostgresDatabase()
    const proxy = await startCuttableProxy(url)
    proxy.cut()
    const env = { ...OWN_SECRETS, DATA_DIR: newDataDir(), DATABASE_URL: proxy.url, SEED: 'off' }
    const starting = startGateway(env)
    await expect.poll(() => proxy.refused(), { timeout: START_MS }).toBeGreaterThan(2)
    proxy.mend()
    const gateway = await starting
    expect(gateway.stdout()).toContain('the database is tried again for a while')
    expect((await gateway.stop('SIGTERM')).code).toBe(0)
    await proxy.close()
    await dropPostgresDatabase(url)
  })

  it('says at once that the database does not exist', async () => {
    const existing = await createPostgresDatabase()
    const url = new URL(existing)
    url.pathname = '/missing_market'
    const { code, stderr } = await start(url.href)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^The database \S+\/missing_market cannot be opened: the database does not exist \(.*\)\n {2}→ create it \(createdb\), or correct the name in DATABASE_URL\n$/,
      ),
    ])
    await dropPostgresDatabase(existing)
  })

  it('warns in development that the database has served production', async () => {
    const url = await createPostgresDatabase()
    const production = { ...OWN_SECRETS, DATA_DIR: newDataDir(), DATABASE_URL: url, NODE_ENV: 'production' }
    expect((await (await startGateway(production)).stop('SIGTERM')).code).toBe(0)
    const gateway = await startGateway({ ...production, NODE_ENV: 'development', SEED: 'off' })
    expect(gateway.stdout()).toContain('this node is not in production, but its database is')
    expect((await gateway.stop('SIGTERM')).code).toBe(0)
    await dropPostgresDatabase(url)
  })
})

describe.skipIf(clusterBinaries() === null)('a server', { timeout: 2 * START_MS }, () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startPrimary({ asksForPasswords: true })
  })
  afterAll(() => cluster?.remove())

  it('that refuses the password is named at once, without the password', async () => {
    const url = new URL(cluster.url)
    url.username = 'gateway'
    url.password = 'hunter2'
    const database = await openDatabase({ kind: 'postgres', url: url.href })
    const failure: unknown = await database.ping().catch((error: unknown) => error)
    await database.close()
    const { message, isTemporary } = postgresFault(url.href, failure)
    expect([message, isTemporary]).toEqual([
      expect.stringContaining('cannot be opened: it refused the password ('),
      false,
    ])
    expect(message).not.toContain('hunter2')
  })

  it('that is a replica is refused at the start, with what to do', async () => {
    const replica = await cluster.newReplica()
    const { code, stderr } = await start(replica.url).finally(() => replica.remove())
    expect([code, stderr]).toEqual([
      1,
      'DATABASE_URL leads to a replica (standby), which accepts no writes.\n  → set DATABASE_URL to the primary, and put this address into DATABASE_REPLICA_URLS\n',
    ])
  })
})
