import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../../src/platform/database/database.js'
import { migrate } from '../../../src/platform/database/migrate.js'
import { createLogger } from '../../../src/platform/logger.js'
import { createPlaces } from '../../../src/platform/quota/create-counters.js'
import type { Place, Places } from '../../../src/platform/stream-places/places.js'
import { sharedFlavourNames } from '../../support/counters/counter-flavours.js'
import type { PlaceOrder } from '../../support/counters/place-worker.js'
import {
  availableRedis,
  createPostgresDatabase,
  dropPostgresDatabase,
  MIGRATIONS,
  openTestDatabase,
} from '../../support/database/database.js'
import { startChild } from '../../support/processes/child.js'
import { waitedMs } from '../../support/waited-ms.js'

const WORKER = resolve(import.meta.dirname, '../../support/counters/place-worker.ts')

const LIMIT = 10
/** Long enough that a busy machine renews in time. */
const LEASE_MS = 1_500

const log = createLogger('silent')

async function takeAll(places: Places, name: string, count = LIMIT): Promise<readonly (Place | null)[]> {
  return Promise.all(Array.from({ length: count }, () => places.take(name, LIMIT)))
}

const held = (places: readonly (Place | null)[]) => places.filter((place) => place !== null)

describe('places of one process', () => {
  it('are limited in number, and free again after their release, each once', async () => {
    const database = await openTestDatabase('pglite', 'empty')
    const places = createPlaces({ database, redisUrl: null, log })
    try {
      const name = `stream ${randomUUID()}`
      const taken = held(await takeAll(places, name, LIMIT + 3))
      expect(taken).toHaveLength(LIMIT)
      expect([places.isFull(name, LIMIT), places.isFull('another', LIMIT)]).toEqual([true, false])
      taken[0]?.release()
      taken[0]?.release()
      expect(held(await takeAll(places, name))).toHaveLength(1)
      expect(await places.take(`stream ${randomUUID()}`, LIMIT)).not.toBeNull()
    } finally {
      await places.close()
      await database.close()
    }
  })
})

describe.each(sharedFlavourNames())('places of two processes in %s', (flavour) => {
  const redisUrl = flavour === 'redis' ? availableRedis() : null
  let postgresUrl: string
  const databases: Database[] = []
  const opened: Places[] = []
  beforeAll(async () => {
    postgresUrl = await createPostgresDatabase()
    const database = await openDatabase({ kind: 'postgres', url: postgresUrl, poolSize: 1 })
    await migrate(database, MIGRATIONS).finally(() => database.close())
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((places) => places.close()))
    await Promise.all(databases.splice(0).map((database) => database.close()))
  })
  afterAll(() => dropPostgresDatabase(postgresUrl))

  const open = async () => {
    const database = await openDatabase({ kind: 'postgres', url: postgresUrl, poolSize: 4 })
    databases.push(database)
    const places = createPlaces({ database, redisUrl, log, leaseMs: LEASE_MS })
    opened.push(places)
    // The first connection takes longer than an answer may: without the store each process would bound its places itself.
    const first = await places.take(`stream ${randomUUID()}`, 1)
    first?.release()
    return places
  }
  const openTwo = async () => [await open(), await open(), `stream ${randomUUID()}`] as const

  it('are limited together, however they are taken', async () => {
    const [one, other, name] = await openTwo()
    const taken = (await Promise.all([takeAll(one, name), takeAll(other, name)])).map(held)
    expect(taken.flat()).toHaveLength(LIMIT)
    expect(await one.take(name, LIMIT)).toBeNull()
    expect(await other.take(name, LIMIT)).toBeNull()
    taken.flat()[0]?.release()
    await expect.poll(() => other.take(name, LIMIT)).not.toBeNull()
    expect(await one.take(name, LIMIT)).toBeNull()
  })

  it('stay held while their process lives, and become free within their lease after it was killed', async () => {
    const [places, , name] = await openTwo()
    const order: PlaceOrder = { postgresUrl, redisUrl, name, limit: LIMIT, leaseMs: LEASE_MS }
    const holder = await startChild(WORKER, [JSON.stringify(order)])
    expect(await holder.line()).toBe(String(LIMIT))
    const endsAt = performance.now() + 2 * LEASE_MS
    while (performance.now() < endsAt) {
      expect(await places.take(name, LIMIT)).toBeNull()
      await sleep(100)
    }
    await holder.kill('SIGKILL')
    const isFull = async () => {
      await takeAll(places, name)
      return places.isFull(name, LIMIT)
    }
    const waited = await waitedMs(async () => {
      while (!(await isFull())) await sleep(50)
    })
    expect(waited).toBeLessThan(2 * LEASE_MS)
  })

  it('are released when their process stops', async () => {
    const [one, other, name] = await openTwo()
    await takeAll(one, name)
    opened.splice(opened.indexOf(one), 1)
    await one.close()
    expect(held(await takeAll(other, name))).toHaveLength(LIMIT)
  })
})
