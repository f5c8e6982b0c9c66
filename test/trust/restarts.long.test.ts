import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedWorld } from '../../src/ingest/seed/seed-world.js'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { migrate } from '../../src/platform/database/migrate.js'
import { BATCH_LIMITS } from '../../src/platform/database/statement-limits.js'
import { cleanUp, type Gateway, newDataDir, START_MS, startGateway } from '../process/gateway.js'
import { startTestApp, type TestApp, TestClock } from '../support/app/app.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import {
  availableDatabases,
  copyPostgresWorld,
  dropPostgresDatabase,
  MIGRATIONS,
  SEEDED_AT,
} from '../support/database/database.js'
import { type Cluster, clusterBinaries, startPrimary } from '../support/database/postgres-cluster.js'
import { amountOf, noteFigures } from '../support/figures.js'
import { faultOf, type Outcome, outcomeOf } from '../support/processes/load.js'

const RESTARTS = amountOf('RESTARTS', 1)
const WORKER_KILLS = amountOf('WORKER_KILLS', 2)

/** Longest that a client waits for its answer while PostgreSQL is away, on a busy machine. */
const ANSWERED_MS = 10_000
/** How long after PostgreSQL accepts connections readiness is back. */
const READY_MS = 5_000

/** Keys that one load makes: an account has at most 100. */
const MOST_KEYS = 90

/** Load on a gateway until it is stopped; the outcomes so far. */
function startLoad(url: string, key: string, atOnce: number) {
  const outcomes: Outcome[] = []
  let isOver = false
  let keys = 0
  const loops = Array.from({ length: atOnce }, async (_, at) => {
    for (let number = at; !isOver; number += atOnce) {
      const isKey = at === 0 && number % (20 * atOnce) === 0 && keys < MOST_KEYS
      if (isKey) keys += 1
      const init = isKey ? { method: 'POST', body: JSON.stringify({ label: `key ${number}` }) } : {}
      const day = new Date(Date.UTC(2026, 9, 1) - (number % 5_000) * 86_400_000).toISOString().slice(0, 10)
      const path = isKey ? '/auth/keys' : `/v1/forex?quote=USD&from=${day}`
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      outcomes.push(await outcomeOf(path, url + path, { ...init, headers }))
      await sleep(10)
    }
  })
  const stop = async () => {
    isOver = true
    await Promise.all(loops)
  }
  return { outcomes, stop }
}

/** Keys that were shown and open nothing. */
async function keysLost(url: string, outcomes: readonly Outcome[]): Promise<readonly string[]> {
  const made = outcomes.filter(({ what, status }) => what === '/auth/keys' && status === 201)
  const statuses = await Promise.all(
    made.map(async ({ text }) => {
      const { raw_key } = JSON.parse(text) as { raw_key: string } // a 201
      return (await outcomeOf('/auth/me', `${url}/auth/me`, { headers: { 'x-api-key': raw_key } })).status
    }),
  )
  return statuses.filter((status) => status !== 200).map((status) => `a key that was shown is a ${status}`)
}

const wrongIn = (outcomes: readonly Outcome[], statuses: readonly number[]) =>
  outcomes.flatMap((outcome) => faultOf(outcome, { statuses, withinMs: ANSWERED_MS }) ?? [])

describe.skipIf(clusterBinaries() === null)('a PostgreSQL that is killed and restarted', () => {
  const findings: string[] = []
  let requests = 0
  let restarts = 0
  let cluster: Cluster
  let database: Database
  let app: TestApp

  beforeAll(async () => {
    cluster = await startPrimary()
    const maker = await openDatabase({ kind: 'postgres', url: cluster.url }, { limits: BATCH_LIMITS })
    await migrate(maker, MIGRATIONS)
    await seedWorld(maker, SEEDED_AT, ['forex'])
    await maker.close()
    database = await openDatabase({ kind: 'postgres', url: cluster.url, poolSize: 4 })
    const env = { BURST_PER_MINUTE: '1000000', READINESS_NEEDS_DATABASE: 'true' }
    app = await startTestApp('postgres', { database, clock: new TestClock(SEEDED_AT), env })
  })
  afterAll(async () => {
    noteFigures({ part: 'PostgreSQL restarted under load', done: { restarts, requests }, findings })
    await app?.close()
    await database?.close()
    await cluster?.remove()
  })

  it('causes 503 until then, and soon after everything is answered without a loss', async () => {
    for (; restarts < RESTARTS; restarts += 1) {
      const load = startLoad(app.url, await app.newKey({ tier: 'pro' }), 8)
      const answered = () => load.outcomes.filter(({ status }) => status < 300).length
      await expect.poll(answered, { timeout: 30_000 }).toBeGreaterThan(20)
      await cluster.kill()
      app.clock.advance(20_000) // what is kept in memory is not recent enough
      const refused = () => load.outcomes.filter(({ status }) => status === 503).length
      const before = refused()
      await expect.poll(refused, { timeout: 30_000 }).toBeGreaterThan(before + 8)
      const [ready, healthy] = await Promise.all(
        ['/readyz', '/healthz'].map((path) => outcomeOf(path, app.url + path)),
      )
      if (ready?.status !== 503) findings.push(`/readyz is ${ready?.status} without PostgreSQL`)
      if (healthy?.status !== 200) findings.push(`/healthz is ${healthy?.status} without PostgreSQL`)
      await cluster.start()
      const startedAt = performance.now()
      const readiness = async () => (await outcomeOf('/readyz', `${app.url}/readyz`)).status
      await expect.poll(readiness, { timeout: 4 * READY_MS, interval: 20 }).toBe(200)
      const readyMs = performance.now() - startedAt
      if (readyMs > READY_MS) findings.push(`ready ${Math.round(readyMs)} ms after the start`)
      const backAt = load.outcomes.length
      await expect.poll(() => load.outcomes.length, { timeout: 30_000 }).toBeGreaterThan(backAt + 40)
      await load.stop()
      requests += load.outcomes.length
      findings.push(...wrongIn(load.outcomes, [200, 201, 503]), ...(await keysLost(app.url, load.outcomes)))
      // What was sent when all was back: those under way at that moment may still have been refused.
      findings.push(...wrongIn(load.outcomes.slice(backAt + 8), [200, 201]))
    }
    expect(findings).toEqual([])
  }, 900_000)
})

describe.runIf(availableDatabases().includes('postgres'))('two workers that are killed in turn', () => {
  const findings: string[] = []
  let requests = 0
  let kills = 0
  let url: string
  let gateway: Gateway

  beforeAll(async () => {
    url = await copyPostgresWorld('seeded')
    gateway = await startGateway({
      DATA_DIR: newDataDir(),
      DATABASE_URL: url,
      WORKERS: '2',
      BURST_PER_MINUTE: '1000000',
      ...OWN_SECRETS,
    })
  }, 2 * START_MS)
  afterAll(async () => {
    noteFigures({ part: 'workers killed in turn', done: { kills, requests }, findings })
    await cleanUp()
    await dropPostgresDatabase(url)
  })

  it('lose only their requests in progress', async () => {
    const key = /^ +pro +(mdg_test_\w+)$/m.exec(gateway.stdout())?.[1] ?? expect.fail('no key was printed')
    const listening = (worker: number) =>
      gateway.log('worker listening').filter((record) => record.worker === worker)
    await expect.poll(() => listening(1).length + listening(2).length, { timeout: START_MS }).toBe(2)
    const load = startLoad(gateway.url, key, 4)
    for (; kills < WORKER_KILLS; kills += 1) {
      const worker = 1 + (kills % 2)
      const known = listening(worker).length
      const sent = load.outcomes.length
      await expect.poll(() => load.outcomes.length, { timeout: START_MS }).toBeGreaterThan(sent + 10)
      process.kill(listening(worker).at(-1)?.pid ?? 0, 'SIGKILL')
      await expect.poll(() => listening(worker).length, { timeout: START_MS }).toBe(known + 1)
      const ready = await outcomeOf('/readyz', `${gateway.url}/readyz`)
      if (ready.status !== 200) findings.push(`/readyz is ${ready.status} after a worker was killed`)
    }
    await load.stop()
    requests = load.outcomes.length
    findings.push(...wrongIn(load.outcomes, [0, 200, 201]), ...(await keysLost(gateway.url, load.outcomes)))
    // Of each worker that was killed at most the four requests that were under way.
    const broken = load.outcomes.filter(({ status }) => status === 0).length
    if (broken > 4 * kills) findings.push(`${broken} requests broke by ${kills} kills`)
    expect(findings).toEqual([])
  }, 1_800_000)
})
