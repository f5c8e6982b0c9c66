import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { sha256Hex } from '../../../src/core/canonical-json.js'
import { createLogger } from '../../../src/platform/logger.js'
import {
  createSharedOperations,
  type SharedOperations,
} from '../../../src/platform/operation-store/redis-operations.js'
import { availableRedis } from '../../support/database/database.js'
import { eventually } from '../../support/eventually.js'
import { type CuttableProxy, startCuttableProxy } from '../../support/peers/cuttable-proxy.js'
import { waitedMs } from '../../support/waited-ms.js'

const redisUrl = availableRedis()
const KIB = 1024
/** With what Redis needs for it, 1 KiB. */
const numbered = (n: number) => `${n} `.padEnd(512, 'x')

describe.skipIf(redisUrl === null)('operations in Redis', () => {
  let redis: Redis
  let proxy: CuttableProxy
  let keyPrefix: string
  let here: SharedOperations
  let there: SharedOperations
  beforeAll(async () => {
    redis = new Redis(redisUrl ?? '')
    proxy = await startCuttableProxy(redisUrl ?? '')
  })
  afterAll(async () => {
    await proxy?.close()
    redis?.disconnect()
  })
  beforeEach(async () => {
    proxy.mend()
    keyPrefix = `mdg-test:${randomUUID()}:`
    const log = createLogger('silent')
    const options = { keyPrefix, maxBytes: 10 * KIB }
    here = createSharedOperations(redisUrl ?? '', log, options)
    there = createSharedOperations(proxy.url, log, options)
    await keep(here, numbered(0), 'first')
    await found(there, numbered(0))
  })
  afterEach(async () => {
    await Promise.all([here, there].map((node) => node.close()))
    await redis.del(...(await redis.keys(`${keyPrefix}*`)))
  })

  const find = (node: SharedOperations, text: string) => node.find(sha256Hex(text))
  const found = (node: SharedOperations, text: string) =>
    vi.waitFor(async () => expect(await find(node, text)).toBe(text), { timeout: 5_000 })
  /** Until it is there; what is kept before the connection is open is lost. */
  async function keep(node: SharedOperations, text: string, owner: string): Promise<void> {
    await vi.waitFor(
      async () => {
        node.keep(sha256Hex(text), text, owner)
        expect(await find(node, text)).toBe(text)
      },
      { timeout: 5_000 },
    )
  }
  const bytes = async () => Number(await redis.get(`${keyPrefix}{all}:bytes`))

  it('are found by other nodes, and by none under another hash', async () => {
    await keep(here, numbered(1), 'a')
    expect(await find(there, numbered(1))).toBe(numbered(1))
    expect(await find(there, numbered(2))).toBeNull()
  })

  it('are bounded by bytes; the owner with the most loses its oldest', async () => {
    for (let n = 1; n < 40; n++) await keep(here, numbered(n), 'large')
    const kept: number[] = []
    for (let n = 0; n < 40; n++) if ((await find(here, numbered(n))) !== null) kept.push(n)
    expect(kept).toEqual([0, 31, 32, 33, 34, 35, 36, 37, 38, 39])
    expect(await bytes()).toBe(10 * KIB)
    expect(await redis.zrange(`${keyPrefix}{all}:owners`, 0, -1, 'WITHSCORES')).toEqual([
      'first',
      String(KIB),
      'large',
      String(9 * KIB),
    ])
  })

  it('start empty if Redis has evicted a part of them', async () => {
    for (let n = 1; n < 10; n++) await keep(here, numbered(n), 'first')
    await redis.del(`${keyPrefix}{all}:entries`)
    here.keep(sha256Hex(numbered(10)), numbered(10), 'other')
    await eventually(async () => expect(await find(here, numbered(0))).toBeNull())
    await keep(here, numbered(11), 'other')
    expect(await bytes()).toBe(KIB)
  })

  it('expire if none was stored for a month', async () => {
    const left = await Promise.all(
      ['texts', 'owners', 'entries', 'bytes'].map((name) => redis.pttl(`${keyPrefix}{all}:${name}`)),
    )
    for (const ms of left) expect(ms / 86_400_000).toBeCloseTo(30, 0)
  })

  it('are missed at once while Redis is away, and found again when it is back', async () => {
    proxy.cut()
    await eventually(async () => expect(await find(there, numbered(0))).toBeNull())
    expect(await waitedMs(() => expect(find(there, numbered(0))).resolves.toBeNull())).toBe(0)
    proxy.mend()
    await found(there, numbered(0))
  })

  it('are missed if the answer is late', async () => {
    proxy.mute()
    const waited = await waitedMs(() => expect(find(there, numbered(0))).resolves.toBeNull())
    expect(waited).toBeLessThan(500)
  })
})
