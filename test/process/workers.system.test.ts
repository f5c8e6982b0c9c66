import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { QUOTAS } from '../../src/policy/limits.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { availableDatabases, copyPostgresWorld, dropPostgresDatabase } from '../support/database/database.js'
import { ask, cleanUp, type Gateway, newDataDir, START_MS, startGateway, workersOf } from './gateway.js'

interface Keys {
  readonly free: string
  readonly pro: string
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const MIN_LEFT_MS = 15_000

/** What is counted here must fall into one window of the clock. */
async function waitForTimeIn(windowMs: number): Promise<void> {
  const left = windowMs - (Date.now() % windowMs)
  if (left < MIN_LEFT_MS) await sleep(left)
}

/** Calls one after the other on one connection, whatever the answers. */
async function callOnOneConnection(url: string, key: string, calls: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let call = 0; call < calls; call += 1) {
    const outgoing = get(url, { agent, headers: { 'x-api-key': key } })
    outgoing.on('response', (answer) => answer.resume())
    await once(outgoing, 'close')
  }
  agent.destroy()
}

afterAll(cleanUp)

describe.runIf(availableDatabases().includes('postgres'))('two workers on one PostgreSQL', () => {
  const dataDir = newDataDir()
  let env: Record<string, string>
  let gateway: Gateway
  let keys: Keys

  /** Pids by number of worker, the youngest of each. */
  const pids = () => new Map(gateway.log('worker listening').map(({ worker, pid }) => [worker, pid]))
  const statuses = (calls: number, path: string) =>
    Promise.all(Array.from({ length: calls }, async () => (await ask(gateway.url + path, null)).status))
  const healthz = (calls: number) => statuses(calls, '/healthz')
  /** How many calls of the operation were answered, as the metrics say in one line. */
  const answered = async (operation: string) => {
    const { status, text } = await ask(`${gateway.metricsUrl}/metrics`, null)
    expect(status).toBe(200)
    const counts = text
      .split('\n')
      .filter((line) => line.startsWith('gateway_request_duration_seconds_count{'))
      .filter((line) => line.includes(`operation="${operation}"`) && line.includes('status="200"'))
    expect(counts.length).toBeLessThanOrEqual(1)
    return Number(counts[0]?.split(' ').at(-1) ?? 0)
  }

  beforeAll(async () => {
    env = {
      DATA_DIR: dataDir,
      DATABASE_URL: await copyPostgresWorld('current'),
      WORKERS: '2',
      ...OWN_SECRETS,
    }
    gateway = await startGateway(env)
    // The primary may hear of the last before that one's own line is out.
    await vi.waitFor(() => expect(gateway.log('worker listening')).toHaveLength(2), { timeout: START_MS })
    keys = JSON.parse(readFileSync(join(dataDir, 'dev-keys.json'), 'utf8')) as Keys
  }, START_MS)
  afterAll(async () => {
    await cleanUp()
    await dropPostgresDatabase(env.DATABASE_URL ?? '')
  })

  it('are two processes on the printed port, with one welcome and one preparation', () => {
    expect(gateway.stdout().match(/Market data gateway \(development/g)).toHaveLength(1)
    expect(gateway.stdout()).toContain(`GraphiQL    ${gateway.url}/graphql`)
    expect(gateway.log('listening')).toHaveLength(1)
    const workers = gateway.log('worker listening')
    expect(workersOf(workers)).toEqual([1, 2])
    expect(workers.map(({ port }) => `http://127.0.0.1:${port}`)).toEqual([gateway.url, gateway.url])
    expect(new Set([gateway.pid, ...pids().values()]).size).toBe(3)
  })

  it('both answer, each with its number in its log lines', async () => {
    expect(new Set(await statuses(20, '/v1/forex'))).toEqual(new Set([401]))
    await expect.poll(() => gateway.log('request').length).toBe(20)
    expect(workersOf(gateway.log('request'))).toEqual([1, 2])
  })

  it('show their pages with the key that the primary created', async () => {
    const page = await ask(`${gateway.url}/docs`, null, { headers: { accept: 'text/html' } })
    expect(page.text).toContain(keys.pro)
  })

  it('are summed up in the metrics of the primary', async () => {
    const before = await answered('asset')
    const seen = gateway.log('request').length
    for (let call = 0; call < 10; call += 1) {
      expect((await ask(`${gateway.url}/v1/assets/bitcoin`, keys.pro)).status).toBe(200)
    }
    await expect.poll(() => answered('asset')).toBe(before + 10)
    await expect.poll(() => workersOf(gateway.log('request').slice(seen))).toEqual([1, 2])
  })

  it('admit an hour’s quota exactly once between them', async () => {
    await waitForTimeIn(HOUR_MS)
    const seen = gateway.log('request').length
    const asked = Array.from({ length: 40 }, () => ask(`${gateway.url}/v1/forex?quote=USD`, keys.free))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(QUOTAS.free.hour)
    expect(statuses.filter((status) => status === 429)).toHaveLength(40 - QUOTAS.free.hour)
    await expect.poll(() => workersOf(gateway.log('request').slice(seen))).toEqual([1, 2])
  })

  it(
    'are replaced when they are killed, by one with the same number that serves, and are measured meanwhile',
    async () => {
      const killed = pids().get(1) ?? 0
      process.kill(killed, 'SIGKILL')
      await expect
        .poll(() => gateway.log('worker ended unexpectedly'))
        .toMatchObject([{ worker: 1, pid: killed }])
      expect(new Set(await healthz(4))).toEqual(new Set([200]))
      expect((await ask(`${gateway.metricsUrl}/metrics`, null)).status).toBe(200)

      await expect.poll(() => pids().get(1), { timeout: START_MS }).not.toBe(killed)
      expect(gateway.log('worker listening').at(-1)?.port).toBe(Number(new URL(gateway.url).port))
      const seen = gateway.log('request').length
      expect(new Set(await statuses(20, '/v1/forex'))).toEqual(new Set([401]))
      await expect.poll(() => workersOf(gateway.log('request').slice(seen))).toEqual([1, 2])
    },
    START_MS,
  )

  it(
    'come back on the same port when all are killed at once',
    async () => {
      const killed = pids()
      for (const pid of killed.values()) process.kill(pid ?? 0, 'SIGKILL')
      const replaced = () => [...pids()].filter(([worker, pid]) => pid !== killed.get(worker))
      await expect.poll(replaced, { timeout: START_MS }).toHaveLength(2)
      expect(new Set(await healthz(20))).toEqual(new Set([200]))
    },
    START_MS,
  )

  it(
    'admit half of a burst each, rounded up, on whatever connections it comes',
    async () => {
      expect((await gateway.stop('SIGTERM')).code).toBe(0)
      gateway = await startGateway({ ...env, BURST_PER_MINUTE: '41' })
      await waitForTimeIn(MINUTE_MS)
      const url = `${gateway.url}/auth/me`
      await Promise.all(Array.from({ length: 4 }, () => callOnOneConnection(url, keys.pro, 30)))
      await expect.poll(() => gateway.log('request')).toHaveLength(120)
      const admitted = gateway.log('request').filter(({ status }) => status === 200)
      const refused = gateway.log('request').filter(({ status }) => status === 429)
      expect([admitted.length, refused.length]).toEqual([42, 78])
      expect(admitted.filter(({ worker }) => worker === 1)).toHaveLength(21)
    },
    START_MS,
  )
})
