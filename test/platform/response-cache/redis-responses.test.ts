import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from '../../../src/platform/logger.js'
import type { ComputedResponse } from '../../../src/platform/response-cache/cached-response.js'
import { createSharedResponses } from '../../../src/platform/response-cache/redis-responses.js'
import { ResponseCache, type SharedResponses } from '../../../src/platform/response-cache/response-cache.js'
import { availableRedis } from '../../support/database/database.js'
import { stampOf, statesOf } from '../../support/database/dataset-states.js'
import { eventually } from '../../support/eventually.js'
import { type CuttableProxy, startCuttableProxy } from '../../support/peers/cuttable-proxy.js'

const NOON = new Date('2026-11-20T12:00:00Z')

const HOUR_MS = 3_600_000
const redisUrl = availableRedis()

function made(facts: Partial<ComputedResponse> = {}): ComputedResponse {
  return {
    stamps: [
      ['instruments', stampOf(3)],
      ['forex', stampOf(7)],
    ],
    endsAtMs: NOON.getTime() + HOUR_MS,
    refreshAtMs: null,
    etag: 'W/"tag"',
    headers: ['content-type', 'application/json', 'link', '</v1/assets?limit=2>; rel="next"'],
    price: { fields: [{ field: 'forex', units: 1 }], units: 1, discovers: 0 },
    json: '{"text":"grüße 日本 \\"quoted\\" \\u0000","data_freshness_seconds":1,"cache_hit":false}',
    madeAtMs: NOON.getTime(),
    observedMs: [NOON.getTime() - 1_000],
    ...facts,
  }
}

const STATES = statesOf({ instruments: 3, forex: 7 }, NOON)

/** A key that no other test and no other run uses. */
const newKey = () => `scope\n/v1/forex?test=${randomUUID()}`

describe.skipIf(redisUrl === null)('nodes that share answers by Redis', () => {
  let proxy: CuttableProxy
  let redis: Redis
  let here: SharedResponses
  let there: SharedResponses
  let lines: { level: number; msg: string }[]

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
    lines = []
    const log = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
    here = createSharedResponses(redisUrl ?? '', createLogger('silent'))
    there = createSharedResponses(proxy.url, log)
    for (const node of [here, there]) await connected(node)
  })
  afterEach(() => Promise.all([here, there].map((node) => node.close())))

  /** What is set before that is lost. */
  function connected(node: SharedResponses): Promise<void> {
    const key = newKey()
    return vi.waitFor(
      async () => {
        node.set(key, made())
        expect(await node.get(key)).not.toBeNull()
      },
      { timeout: 5_000 },
    )
  }

  /** What another node sees once what was set has arrived. */
  async function arrived(node: SharedResponses, key: string): Promise<ComputedResponse | null> {
    return vi.waitFor(
      async () => {
        const answer = await node.get(key)
        expect(answer).not.toBeNull()
        return answer
      },
      { timeout: 5_000 },
    )
  }

  /** The names under which Redis holds answers with this tag; other tests leave theirs there too. */
  async function namesOf(etag: string): Promise<readonly string[]> {
    const names = await redis.keys('mdg:response:*')
    const texts = names.length === 0 ? [] : await redis.mget(names)
    return names.filter((_name, index) => texts[index]?.includes(etag))
  }

  it('return what the other computed, unchanged', async () => {
    const key = newKey()
    expect(await there.get(key)).toBeNull()
    here.set(key, made())
    expect(await arrived(there, key)).toEqual(made())
    expect(await there.get(newKey())).toBeNull()
  })

  it('never confuse answers after one was lost on the way', async () => {
    const keys = Array.from({ length: 20 }, newKey)
    for (const [index, key] of keys.entries()) here.set(key, made({ etag: `${index}` }))
    for (const key of keys) await arrived(here, key)
    proxy.disturb({ towards: 'client', passBytes: 0 })
    expect(await there.get(keys[0] ?? '')).toBeNull()
    proxy.pass()
    const given = []
    for (const key of keys) given.push((await there.get(key))?.etag ?? null)
    expect(given.filter((etag, index) => etag !== null && etag !== `${index}`)).toEqual([])
    for (const [index, key] of keys.entries()) expect((await arrived(there, key))?.etag).toBe(`${index}`)
  })

  it('return the newest answer', async () => {
    const key = newKey()
    here.set(key, made())
    await arrived(there, key)
    const newer = made({ stamps: [['forex', stampOf(8)]] })
    there.set(key, newer)
    await eventually(async () => expect(await here.get(key)).toEqual(newer))
  })

  it('serve it from their own cache from then on', async () => {
    const key = newKey()
    const [one, other] = [here, there].map((shared) => new ResponseCache({ maxBytes: 100_000, shared }))
    one?.set(key, made())
    await arrived(there, key)
    const later = new Date(NOON.getTime() + 60_000)
    const kept = await other?.fetch(key, STATES, later)
    expect(kept?.response.body.renderAt(later.getTime()).bytes.toString()).toBe(
      '{"text":"grüße 日本 \\"quoted\\" \\u0000","data_freshness_seconds":61,"cache_hit":true}',
    )
    proxy.cut()
    expect(other?.get(key, STATES, later)).toBe(kept)
  })

  it('use names of fixed length, which reveal nothing of the request', async () => {
    const key = `scope\n/graphql\n${'x'.repeat(8_000)}`
    const etag = randomUUID()
    here.set(key, made({ etag }))
    await eventually(async () => expect(await namesOf(etag)).toHaveLength(1))
    const names = await namesOf(etag)
    expect(names[0]).toMatch(/^mdg:response:.{1,20}:[\w-]{43}$/)
  })

  it('drop it at its end, and after an hour at the latest', async () => {
    for (const [endsAtMs, atMostMs] of [
      [NOON.getTime() + 60_000, 60_000],
      [NOON.getTime() + 24 * HOUR_MS, HOUR_MS],
      [null, HOUR_MS],
    ] as const) {
      const [key, etag] = [newKey(), randomUUID()]
      here.set(key, made({ etag, endsAtMs }))
      await arrived(here, key)
      const [name = ''] = await namesOf(etag)
      const leftMs = await redis.pttl(name)
      expect(leftMs).toBeLessThanOrEqual(atMostMs)
      expect(leftMs).toBeGreaterThan(atMostMs - 10_000)
    }
  })

  it('do not share answers that would delay the counters', async () => {
    const [key, after, etag] = [newKey(), newKey(), randomUUID()]
    here.set(key, made({ etag, json: JSON.stringify('x'.repeat(600_000)) }))
    here.set(after, made({ etag }))
    await arrived(here, after)
    expect(await here.get(key)).toBeNull()
    expect(await namesOf(etag)).toHaveLength(1)
  })

  it('ignore unreadable entries', async () => {
    const key = newKey()
    const etag = randomUUID()
    here.set(key, made({ etag }))
    await arrived(there, key)
    const [name = ''] = await namesOf(etag)
    await redis.set(name, '{"json":')
    expect(await there.get(key)).toBeNull()
    await redis.del(name)
    await redis.lpush(name, 'a list')
    expect(await there.get(key)).toBeNull()
    await redis.del(name)
    here.set(key, made())
    expect(await arrived(there, key)).toEqual(made())
  })

  it('miss while Redis is away, log it once, and find it again', async () => {
    const key = newKey()
    here.set(key, made())
    await arrived(there, key)
    proxy.cut()
    for (let ask = 0; ask < 20; ask++) {
      expect(await there.get(key)).toBeNull()
      there.set(newKey(), made())
    }
    proxy.mend()
    expect(await arrived(there, key)).toEqual(made())
    expect(lines.map(({ msg }) => msg)).toEqual([
      'Redis is lost: responses are cached on this node only until it is back',
    ])
  })

  it('miss while Redis is silent, and wait no longer than for computing an answer', async () => {
    const key = newKey()
    here.set(key, made())
    await arrived(there, key)
    proxy.mute()
    const answers = Array.from({ length: 20 }, () => there.get(key))
    expect(await Promise.all(answers)).toEqual(answers.map(() => null))
    proxy.mend()
    expect(await arrived(there, key)).toEqual(made())
  })

  it('close with and without Redis', async () => {
    proxy.cut()
    await there.close()
    await here.close()
    expect(await here.get(newKey())).toBeNull()
    here.set(newKey(), made())
  })
})

describe('a node without Redis', () => {
  it('always misses, never throws, and ends', async () => {
    // A port that nothing listens on: it was ours a moment ago.
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    server.close()
    await once(server, 'close')
    if (address === null || typeof address === 'string') throw new Error('it listened on a TCP port')
    const answers = createSharedResponses(`redis://127.0.0.1:${address.port}`, createLogger('silent'))
    const cache = new ResponseCache({ maxBytes: 100_000, shared: answers })
    cache.set('key', made())
    expect(cache.get('key', STATES, NOON)).not.toBeNull()
    expect(await cache.fetch('other', STATES, NOON)).toBeNull()
    expect(await answers.get('key')).toBeNull()
    await cache.close()
  })
})
