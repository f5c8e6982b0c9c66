import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { migrate } from '../../src/platform/database/migrate.js'
import { runAdmin } from '../commands/admin-world.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { availableRedis, MIGRATIONS } from '../support/database/database.js'
import { reviseRates, valuesOf } from '../support/database/forex-revisions.js'
import { type Cluster, clusterBinaries, startPrimary } from '../support/database/postgres-cluster.js'
import { blocksOfGuide } from '../support/guides/blocks.js'
import { ask, cleanUp, type Gateway, newDataDir, START_MS, startGateway } from './gateway.js'

const [PROMOTION = '', LOSSES = ''] = blocksOfGuide('recovery')
  .filter(({ language }) => language === 'sql')
  .map(({ text }) => text)

interface Key {
  readonly raw_key: string
  readonly key_id: string
}

type Rates = Parameters<typeof valuesOf>[0]
type Env = Readonly<Record<string, string>>

/** Results of the statements of a block, one after the other. */
async function onServer({ url }: Pick<Cluster, 'url'>, sql: string): Promise<readonly (readonly object[])[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const results = await client.query(sql).finally(() => client.end())
  return [results].flat().map(({ rows }) => rows)
}

describe.skipIf(clusterBinaries() === null)(
  'a replica that is promoted as the guide says',
  { timeout: 4 * START_MS },
  () => {
    let primary: Cluster
    let replica: Cluster
    let database: Database
    let before: Env
    let after: Env
    let nodes: Gateway[] = []
    let kept: Key
    let revoked: Key
    let lost: Key
    let lostTag: string

    const admin = (env: Env, ...args: readonly string[]) =>
      runAdmin({ PATH: process.env.PATH, ...env }, ...args)
    const newKey = async (env: Env, label: string): Promise<Key> =>
      JSON.parse(
        (await admin(env, 'users', 'create', '--tier', 'pro', '--label', label, '--json')).out,
      ) as Key
    const rates = (node: Gateway, key: Key, tag: string | null = null) =>
      ask<Rates>(
        `${node.url}/v1/forex?quote=USD`,
        key.raw_key,
        tag === null ? {} : { headers: { 'if-none-match': tag } },
      )
    const shown = async (node: Gateway) => valuesOf((await rates(node, kept)).body)

    beforeAll(async () => {
      primary = await startPrimary()
      database = await openDatabase({ kind: 'postgres', url: primary.url, poolSize: 2 })
      await migrate(database, MIGRATIONS)
      await reviseRates(database, 1, new Date())
      replica = await primary.newReplica()
      const redis = availableRedis()
      const shared = {
        ...OWN_SECRETS,
        ...{ DATA_DIR: newDataDir(), NODE_ENV: 'production', SCHEDULE: 'off', BURST_PER_MINUTE: '1000000' },
        ...(redis === null ? {} : { REDIS_URL: redis }),
      }
      before = { ...shared, DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: replica.url }
      after = { ...shared, DATABASE_URL: replica.url }
      kept = await newKey(before, 'kept')
      revoked = await newKey(before, 'revoked')
      nodes = await Promise.all([startGateway(before), startGateway(before)])
    }, 2 * START_MS)
    afterAll(async () => {
      await cleanUp()
      await database?.close()
      await Promise.all([primary, replica].map((cluster) => cluster?.remove()))
    })

    it('is used by the nodes; commits that it had not received are lost, and the guide’s statements show since when', async () => {
      await expect
        .poll(
          async () => (await onServer(replica, "select 1 from api_key where label = 'revoked'"))[0]?.length,
        )
        .toBe(1)
      await onServer(replica, "alter system set primary_conninfo = ''")
      await onServer(replica, 'select pg_reload_conf()')
      await expect
        .poll(async () => (await onServer(replica, 'select 1 from pg_stat_wal_receiver'))[0]?.length, {
          timeout: START_MS,
        })
        .toBe(0)
      const since = new Date()
      lost = await newKey(before, 'lost')
      expect((await admin(before, 'keys', 'revoke', revoked.key_id)).code).toBe(0)
      await reviseRates(database, 2, new Date())
      for (const node of nodes) {
        await expect.poll(() => shown(node), { timeout: 10_000 }).toEqual([2])
        expect((await rates(node, lost)).status).toBe(200)
      }
      lostTag = (await rates(nodes[0] ?? expect.fail(), kept)).headers.get('etag') ?? expect.fail('no tag')
      await database.close()
      await primary.kill()
      for (const node of nodes) {
        const { status } = await ask(`${node.url}/auth/me`, kept.raw_key)
        expect(status).toBeOneOf([200, 503])
      }

      const [position, promoted] = await onServer(replica, PROMOTION)
      expect(position).toEqual([{ pg_last_wal_replay_lsn: expect.stringMatching(/^[\dA-F]+\/[\dA-F]+$/) }])
      expect(promoted).toEqual([{ pg_promote: true }])
      const [audit, states] = await onServer(replica, LOSSES)
      const [{ last_audit_event: last } = { last_audit_event: null }] = audit as {
        last_audit_event: Date | null
      }[]
      expect(last?.getTime()).toBeLessThan(since.getTime())
      expect(states).toMatchObject([{ dataset: 'forex', version: '1', changed_at: expect.any(Date) }])
    })

    it('serves what it has once the nodes were restarted, and no answer of a lost commit', async () => {
      nodes = await Promise.all(
        nodes.map(async (node) => {
          expect((await node.stop('SIGTERM')).code).toBe(0)
          return startGateway(after)
        }),
      )
      const promoted = await openDatabase({ kind: 'postgres', url: replica.url, poolSize: 1 })
      for (const node of nodes) {
        const answer = await rates(node, kept, lostTag)
        expect([answer.status, valuesOf(answer.body)]).toEqual([200, [1]])
        expect((await rates(node, lost)).status).toBe(401)
        // The revocation is lost too: the operator repeats it.
        expect((await rates(node, revoked)).status).toBe(200)
      }
      await reviseRates(promoted, 3, new Date())
      await promoted.close()
      for (const node of nodes) {
        await expect.poll(() => shown(node), { timeout: 10_000 }).toEqual([3])
        expect((await rates(node, kept, lostTag)).status).toBe(200)
      }
      expect((await admin(after, 'keys', 'revoke', revoked.key_id)).code).toBe(0)
      for (const node of nodes) await expect.poll(async () => (await rates(node, revoked)).status).toBe(401)
    })

    it('gets the old primary as its replica', async () => {
      await primary.rebuildFrom(replica)
      const { out } = await admin({ ...after, DATABASE_REPLICA_URLS: primary.url }, 'doctor', '--json')
      const { checks } = JSON.parse(out) as { checks: { check: string; status: string; message: string }[] }
      expect(checks.find(({ check }) => check === 'replica 1')).toMatchObject({ status: 'ok' })
    })
  },
)
