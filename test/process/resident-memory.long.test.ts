import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { BATCH_LIMITS } from '../../src/platform/database/statement-limits.js'
import { addCandles, NEARLY_TOO_LARGE } from '../gateway/graphql/large-world.js'
import { OWN_SECRETS } from '../support/app/secrets.js'
import { availableDatabases, copyPostgresWorld, dropPostgresDatabase } from '../support/database/database.js'
import { cleanUp, type Gateway, newDataDir, START_MS, startGateway } from './gateway.js'

const MAX_RESIDENT_BYTES = 500e6
const SAMPLE_MS = 10
/** Of each account at once; a third would be refused. */
const AT_ONCE = 2
/** What such a process has to do with; it would be ended above it. */
const HEAP = '--max-old-space-size=400'

// The embedded database is in the process and has half of this memory to itself.
describe.skipIf(!availableDatabases().includes('postgres') || process.platform !== 'linux')(
  'the memory of a gateway',
  () => {
    let url: string
    let database: Database
    let gateway: Gateway
    let keys: readonly string[]

    beforeAll(async () => {
      url = await copyPostgresWorld('current')
      const dataDir = newDataDir()
      gateway = await startGateway({
        DATA_DIR: dataDir,
        DATABASE_URL: url,
        NODE_OPTIONS: HEAP,
        ...OWN_SECRETS,
      })
      database = await openDatabase({ kind: 'postgres', url, poolSize: 2 }, { limits: BATCH_LIMITS })
      await addCandles(database, 1_000)
      const all = JSON.parse(readFileSync(join(dataDir, 'dev-keys.json'), 'utf8')) as Record<string, string>
      keys = ['growth', 'pro', 'enterprise', 'admin'].map((name) => all[name] ?? '')
    }, START_MS)

    afterAll(async () => {
      await cleanUp()
      await database?.close()
      await dropPostgresDatabase(url)
    })

    const ask = async (query: string, key: string) => {
      const response = await fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify({ query }),
      })
      await response.arrayBuffer()
      return response.status
    }

    /** The most memory it had while the work ran, bytes; tells that, and the longest that a health check took. */
    const largestDuring = async (work: () => Promise<void>) => {
      let isOver = false
      let largest = 0
      let slowestMs = 0
      const sampling = (async () => {
        for (; !isOver; await sleep(SAMPLE_MS)) {
          const askedAt = performance.now()
          await (await fetch(`${gateway.url}/healthz`)).arrayBuffer()
          slowestMs = Math.max(slowestMs, performance.now() - askedAt)
          largest = Math.max(largest, residentBytes(gateway.pid))
        }
        process.stdout.write(
          `largest operations: ${Math.round(largest / 1e6)} MB at most, /healthz ${Math.round(slowestMs)} ms at most\n`,
        )
      })()
      await work().finally(() => {
        isOver = true
      })
      await sampling
      return largest
    }

    it(
      'stays below 500 MB whatever allowed operation runs',
      async () => {
        const statuses: number[] = []
        const largest = await largestDuring(async () => {
          for (const query of Object.values(NEARLY_TOO_LARGE)) statuses.push(await ask(query, keys[2] ?? ''))
        })
        expect(statuses).toEqual(statuses.map(() => 200))
        expect(largest).toBeGreaterThan(50e6)
        expect(largest).toBeLessThan(MAX_RESIDENT_BYTES)
      },
      START_MS,
    )

    it(
      'is enough with a small heap for the largest of every kind from four accounts at once',
      async () => {
        const statuses = new Set<number>()
        const queries = Object.values(NEARLY_TOO_LARGE)
        for (let first = 0; first < queries.length; first += 1) {
          // Each beside the next, so that the largest of every kind meet.
          const two = Array.from({ length: AT_ONCE }, (_, at) => queries[(first + at) % queries.length] ?? '')
          const asked = keys.flatMap((key) => two.map((query) => ask(query, key)))
          for (const status of await Promise.all(asked)) statuses.add(status)
        }
        // More than may run at once are refused.
        expect(statuses.has(200)).toBe(true)
        expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
        expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
      },
      START_MS,
    )
  },
)

function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}
