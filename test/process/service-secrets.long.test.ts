import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SQL_RISKS } from '../../src/platform/database/sql-roles/sql-risk-names.js'
import { runAdmin } from '../commands/admin-world.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { type Cluster, clusterBinaries, startPrimary } from '../support/database/postgres-cluster.js'
import { blocksOfGuide } from '../support/guides/blocks.js'
import { faultOf, outcomeOf } from '../support/processes/load.js'
import { mayStartRedis, type SingleRedis, startSingleRedis } from '../support/redis/redis-server.js'
import { ask, cleanUp, newDataDir, START_MS } from './gateway.js'
import { type RollingNodes, startNodes } from './rolling-nodes.js'

/** The statements of the guide: for a second database user, to shut the first one out, and for a new password. */
const [SECOND_USER = '', FIRST_USER_ENDS = '', NEW_PASSWORD = ''] = blocksOfGuide('rotation')
  .filter(({ language }) => language === 'sql')
  .map(({ text }) => text)

type Env = Readonly<Record<string, string>>

/** What a request may wait for a connection that the database refuses. */
const ANSWERED_MS = 60_000

describe.skipIf(clusterBinaries() === null || !mayStartRedis())(
  'two nodes under requests get other secrets of services as the guide says',
  { timeout: 4 * START_MS },
  () => {
    let cluster: Cluster
    let replica: Cluster
    /** What nodes wrote that have stopped. */
    const outputs: string[] = []
    const secrets = new Set(['OLDKEY', 'NEWKEY'])
    let redis: SingleRedis
    let provider: Server
    const asked: string[] = []
    let directory: string
    let base: Env
    let nodes: RollingNodes
    let key: string
    let passwordOfFirst = 'first password'

    const urlOf = (server: Cluster, user: string, password: string) => {
      const url = new URL(server.url)
      ;[url.username, url.password, url.pathname] = [user, password, '/gateway']
      secrets.add(password).add(url.password)
      return url.href
    }
    /** The settings of both servers. */
    const databaseUrls = (user: string, password: string) => ({
      DATABASE_URL: urlOf(cluster, user, password),
      DATABASE_REPLICA_URLS: urlOf(replica, user, password),
    })
    const redisUrl = (password: string) => `redis://:${password}@127.0.0.1:${redis.port}`
    /** As the superuser of the server. */
    const onServer = async (sql: string, server = cluster) => {
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      return client.query(sql).finally(() => client.end())
    }
    const setting = (name: string, value: string) => writeFileSync(join(directory, name), `${value}\n`)

    beforeAll(async () => {
      expect([NEW_PASSWORD, SECOND_USER, FIRST_USER_ENDS].map((text) => text === '')).toEqual([
        false,
        false,
        false,
      ])
      cluster = await startPrimary({ asksForPasswords: true })
      await onServer(`CREATE ROLE gateway LOGIN CREATEROLE PASSWORD '${passwordOfFirst}'`)
      await onServer('CREATE DATABASE gateway OWNER gateway')
      replica = await cluster.newReplica()
      redis = await startSingleRedis()
      await redis.ask('config', 'set', 'requirepass', 'first')
      provider = createServer((request, response) => {
        asked.push(request.url ?? '')
        response.writeHead(500).end()
      }).listen(0, '127.0.0.1')
      await once(provider, 'listening')
      directory = dirname(newDataDir())
      setting('BOK_API_KEY', 'OLDKEY')
      setting('OPENFIGI_API_KEY', 'old')
      base = {
        ...OWN_SECRETS,
        ...{ DATA_DIR: join(directory, 'data'), NODE_ENV: 'production', BURST_PER_MINUTE: '1000000' },
        ...{ ...databaseUrls('gateway', passwordOfFirst), REDIS_URL: redisUrl('first') },
        ...{ SCHEDULE: 'bok', BOK_API_KEY_FILE: join(directory, 'BOK_API_KEY') },
        SQL_ACCEPTED_RISKS: SQL_RISKS.join(','),
        PROVIDER_URL_BOK: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`, // it listens on a TCP port
        OPENFIGI_API_KEY_FILE: join(directory, 'OPENFIGI_API_KEY'),
      }
      nodes = await startNodes(base)
      const args = ['users', 'create', '--tier', 'pro', '--label', 'caller', '--json']
      const { out } = await runAdmin({ PATH: process.env.PATH, ...base }, ...args)
      key = (JSON.parse(out) as { raw_key: string }).raw_key
    }, 4 * START_MS)
    afterAll(async () => {
      await cleanUp()
      await redis?.close()
      provider?.closeAllConnections()
      provider?.close()
      await Promise.all([cluster?.remove(), replica?.remove()])
    })

    const PATHS = ['/auth/me', '/v1/usage', '/v1/datasets']
    let turn = 0
    /** Does the work while requests go on: each is answered with one of the statuses, and a 503 as documented. */
    const underRequests = async (
      statuses: readonly number[],
      work: () => Promise<void>,
    ): Promise<number[]> => {
      const seen: number[] = []
      const headers = { 'x-api-key': key, connection: 'close' }
      await nodes.underRequests(async ({ url }) => {
        turn += 1
        const path = PATHS[turn % PATHS.length] ?? '/auth/me'
        const outcome = await outcomeOf(path, url + path, { headers })
        seen.push(outcome.status)
        const fault = faultOf(outcome, { statuses, withinMs: ANSWERED_MS })
        const id = /"request_id":"([^"]+)"/.exec(outcome.text)?.[1] ?? 'none'
        const lines = nodes.gateways.flatMap((node) => node.stdout().split('\n'))
        expect([fault, ...(fault === null ? [] : lines.filter((line) => line.includes(id)))]).toEqual([null])
      }, work)
      return seen
    }
    const restart = async (env: Env) => {
      base = { ...base, ...env }
      const stopped = [...nodes.gateways]
      await nodes.restart(base)
      for (const { ended } of stopped) {
        const { stdout, stderr } = await ended
        outputs.push(stdout, stderr)
      }
    }
    /** Both nodes read from the replica. */
    const isReplicaUp = async () => {
      for (const { metricsUrl } of nodes.gateways)
        await expect
          .poll(async () => (await ask(`${metricsUrl}/metrics`, null)).text, { timeout: START_MS })
          .toMatch(/^gateway_replica_up\{[^}]*\} 1$/m)
    }
    const isAnswered = async () => {
      for (const { url } of nodes.gateways)
        for (const path of PATHS) expect([path, (await ask(url + path, key)).status]).toEqual([path, 200])
    }

    it('a key of a provider: the schedule asks with the new one after a rolling restart', async () => {
      const isAskedWith = (one: string) =>
        expect.poll(() => asked.some((path) => path.includes(`/${one}/`)), { timeout: START_MS }).toBe(true)
      await isAskedWith('OLDKEY')
      await underRequests([200], async () => {
        setting('BOK_API_KEY', 'NEWKEY')
        setting('OPENFIGI_API_KEY', 'new')
        await restart({})
        const before = asked.length
        await isAskedWith('NEWKEY')
        expect(asked.slice(before).filter((path) => path.includes('/OLDKEY/'))).toEqual([])
      })
    })

    it('the password in REDIS_URL: no request fails, also when Redis closes a connection in between', async () => {
      await underRequests([200], async () => {
        expect(await redis.ask('-a', 'first', 'config', 'set', 'requirepass', 'second')).toBe('OK')
        await redis.ask('-a', 'second', 'client', 'kill', 'type', 'normal')
        await isAnswered()
        await restart({ REDIS_URL: redisUrl('second') })
      })
      await isAnswered()
      const clients = (await redis.ask('-a', 'second', 'client', 'list', 'type', 'normal')).split('\n')
      expect(clients.length).toBeGreaterThan(nodes.gateways.length)
      for (const node of nodes.gateways) expect(node.stdout()).not.toContain('WRONGPASS')
    })

    it('the password of the database user: what needs a new connection before the restart waits or gets 503', async () => {
      const password = 'second password'
      passwordOfFirst = password
      const seen = await underRequests([200, 503], async () => {
        await onServer(NEW_PASSWORD.replace('NEW', password))
        // As after a failure of the network: each node needs new connections, which the server refuses.
        for (const server of [cluster, replica])
          await onServer(
            "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'gateway'",
            server,
          )
        await expect
          .poll(() => Promise.all(nodes.gateways.map(readiness)), { timeout: START_MS })
          .toEqual([503, 503])
        await restart(databaseUrls('gateway', password))
      })
      expect(seen).toContain(503)
      await underRequests([200], isAnswered)
    })

    it('a second database user: no request fails, and the first one gets in no more', async () => {
      const password = 'password of the second'
      await underRequests([200], async () => {
        await isReplicaUp()
        await onServer(SECOND_USER.replace('NEW', password))
        await restart(databaseUrls('gateway_2', password))
        await onServer(FIRST_USER_ENDS)
        const login = await ask<{ username: string }>(
          `${nodes.gateways[0]?.url}/v1/billing/sql-credentials`,
          key,
          {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: '{}',
          },
        )
        expect([login.status, login.text]).toEqual([201, expect.stringContaining('username')])
        await isAnswered()
      })
      await isReplicaUp()
      for (const server of [cluster, replica]) {
        const users = await onServer(
          "select distinct usename from pg_stat_activity where datname = 'gateway' and usename like 'gateway%'",
          server,
        )
        expect(users.rows).toEqual([{ usename: 'gateway_2' }])
        const first = new pg.Client({ connectionString: urlOf(server, 'gateway', passwordOfFirst) })
        await expect(first.connect()).rejects.toThrow('not permitted to log in')
      }
      const { rows } = await onServer('select 1')
      expect(rows).toHaveLength(1)
      const { code, out } = await runAdmin({ PATH: process.env.PATH, ...base }, 'doctor', '--json')
      const { checks } = JSON.parse(out) as { checks: { check: string; status: string; message: string }[] }
      expect(checks.filter(({ status }) => status === 'problem')).toEqual([])
      expect(code).toBe(0)
    })

    it('no line of a log has one of these secrets', async () => {
      for (const node of nodes.gateways) {
        const { stdout, stderr } = await node.stop('SIGTERM')
        outputs.push(stdout, stderr)
      }
      expect(outputs).toHaveLength(20)
      for (const output of outputs) for (const one of secrets) expect(output).not.toContain(one)
    })

    const readiness = async ({ url }: { readonly url: string }) => (await ask(`${url}/readyz`, null)).status
  },
)
