import { beforeEach, describe, expect, it } from 'vitest'
import type { ComputedResponse } from '../../../src/platform/response-cache/cached-response.js'
import { ResponseCache, type SharedResponses } from '../../../src/platform/response-cache/response-cache.js'
import { stampOf, statesOf } from '../../support/database/dataset-states.js'

const NOON = new Date('2026-11-20T12:00:00Z')

const A_SECOND_AGO = NOON.getTime() - 1_000

const forexAt = (version: number) => statesOf({ forex: version }, NOON)

const V7 = forexAt(7)

/** An answer from forex=7 that takes about as many bytes. */
function made(bytes: number, facts: Partial<ComputedResponse> = {}): ComputedResponse {
  return {
    stamps: [['forex', stampOf(7)]],
    endsAtMs: null,
    refreshAtMs: null,
    etag: null,
    headers: ['content-type', 'application/json'],
    price: { fields: [{ field: 'forex', units: 1 }], units: 1, discovers: 0 },
    json: `{"text":"${'x'.repeat(bytes)}","cache_hit":false}`,
    madeAtMs: NOON.getTime(),
    observedMs: [],
    ...facts,
  }
}

const bodyOf = (cache: ResponseCache, key: string, states = V7, now = NOON) =>
  cache.get(key, states, now)?.response.body.renderAt(now.getTime()).bytes.toString() ?? null

/** What the nodes share, as a map. */
class Shared implements SharedResponses {
  readonly answers = new Map<string, ComputedResponse>()
  isOpen = true
  async get(key: string): Promise<ComputedResponse | null> {
    return this.answers.get(key) ?? null
  }
  set(key: string, answer: ComputedResponse): void {
    this.answers.set(key, answer)
  }
  async close(): Promise<void> {
    this.isOpen = false
  }
}

describe('the cache of answers', () => {
  let cache: ResponseCache
  beforeEach(() => {
    cache = new ResponseCache({ maxBytes: 100_000, shared: null })
  })

  it('returns a stored answer with its facts', () => {
    cache.set(
      'key',
      made(3, {
        price: {
          fields: [
            { field: 'forex', units: 1 },
            { field: 'assets', units: 4 },
          ],
          units: 5,
          discovers: 0,
        },
      }),
    )
    expect(bodyOf(cache, 'key')).toBe('{"text":"xxx","cache_hit":true}')
    expect(cache.get('key', V7, NOON)?.response).toMatchObject({
      price: { units: 5 },
      operation: 'forex,assets',
    })
    expect(cache.get('other', V7, NOON)).toBeNull()
  })

  it('returns nothing of another version, older or newer', () => {
    cache.set('key', made(3))
    expect(cache.get('key', forexAt(6), NOON)).toBeNull()
    expect(cache.get('key', forexAt(8), NOON)).toBeNull()
    expect(cache.get('key', new Map(), NOON)).toBeNull()
    expect(cache.get('key', V7, NOON)).not.toBeNull()
  })

  it('returns an answer from several datasets only while all of them are unchanged', () => {
    cache.set(
      'key',
      made(3, {
        stamps: [
          ['forex', stampOf(7)],
          ['candles', '0'],
        ],
      }),
    )
    expect(cache.get('key', V7, NOON)).not.toBeNull()
    expect(cache.get('key', statesOf({ forex: 7, candles: 1 }, NOON), NOON)).toBeNull()
  })

  it('returns nothing from its end on', () => {
    cache.set('key', made(3, { endsAtMs: NOON.getTime() + 10 }))
    expect(cache.get('key', V7, new Date(NOON.getTime() + 9))).not.toBeNull()
    expect(cache.get('key', V7, new Date(NOON.getTime() + 10))).toBeNull()
  })

  it('replaces an older answer by a newer one', () => {
    cache.set('key', made(3))
    const bytes = cache.bytes
    cache.set('key', made(3, { stamps: [['forex', stampOf(8)]] }))
    expect(cache.get('key', forexAt(8), NOON)).not.toBeNull()
    expect(cache.bytes).toBe(bytes)
  })

  it('does not store an answer that could not be shown correctly later', () => {
    cache.set('key', made(3, { json: '{"data_freshness_seconds":5}', observedMs: [A_SECOND_AGO] }))
    expect(cache.get('key', V7, NOON)).toBeNull()
    expect(cache.bytes).toBe(0)
  })

  it('never holds more than its bytes', () => {
    for (let key = 0; key < 200; key++) {
      cache.set(`key ${key}`, made(1 + ((key * 7_919) % 30_000)))
      expect(cache.bytes).toBeLessThanOrEqual(100_000)
    }
    expect(cache.bytes).toBeGreaterThan(50_000)
  })

  it('counts no fewer bytes than its answers have', () => {
    for (let key = 0; key < 4; key++) cache.set(`key ${key}`, made(9_000))
    expect(cache.bytes).toBeGreaterThan(4 * 2 * 9_000)
    cache.set('é'.repeat(4_000), made(1))
    expect(cache.bytes).toBeGreaterThan(4 * 2 * 9_000 + 8_000)
  })

  it('does not store an answer larger than all its bytes, and drops none for it', () => {
    cache.set('small', made(3))
    cache.set('large', made(100_000))
    expect(bodyOf(cache, 'large')).toBeNull()
    expect(bodyOf(cache, 'small')).not.toBeNull()
  })

  it('drops the least recently used first', () => {
    // Each takes about 3 × 9,000 bytes, so that three fit.
    for (const key of ['a', 'b', 'c']) cache.set(key, made(9_000))
    expect(bodyOf(cache, 'a')).not.toBeNull()
    cache.set('d', made(9_000))
    expect(['a', 'b', 'c', 'd'].filter((key) => bodyOf(cache, key) !== null)).toEqual(['a', 'c', 'd'])
  })

  it('of 0 bytes stores none, and reads and writes no other node', async () => {
    const shared = new Shared()
    shared.set('theirs', made(3))
    const none = new ResponseCache({ maxBytes: 0, shared })
    none.set('key', made(3))
    expect(none.isOn).toBe(false)
    expect(none.get('key', V7, NOON)).toBeNull()
    expect(await none.fetch('theirs', V7, NOON)).toBeNull()
    expect([...shared.answers.keys()]).toEqual(['theirs'])
    expect(none.bytes).toBe(0)
  })

  it('is empty after it is closed', async () => {
    const shared = new Shared()
    const closing = new ResponseCache({ maxBytes: 100_000, shared })
    closing.set('key', made(3))
    await closing.close()
    expect(closing.bytes).toBe(0)
    expect(shared.isOpen).toBe(false)
  })
})

describe('the caches of two nodes', () => {
  let shared: Shared
  let here: ResponseCache
  let there: ResponseCache
  beforeEach(() => {
    shared = new Shared()
    here = new ResponseCache({ maxBytes: 100_000, shared })
    there = new ResponseCache({ maxBytes: 100_000, shared })
  })

  it('return what the other computed, and from then on without a request', async () => {
    here.set('key', made(3))
    expect(there.get('key', V7, NOON)).toBeNull()
    const fetched = await there.fetch('key', V7, NOON)
    expect(fetched?.response.body.renderAt(NOON.getTime()).bytes.toString()).toBe(
      '{"text":"xxx","cache_hit":true}',
    )
    shared.answers.clear()
    expect(there.get('key', V7, NOON)).toBe(fetched)
  })

  it('show the age of the answer on the other node, as of now', async () => {
    const json = '{"data_freshness_seconds":1,"cache_hit":false}'
    here.set('key', made(3, { json, observedMs: [A_SECOND_AGO] }))
    const now = new Date(NOON.getTime() + 60_000)
    const fetched = await there.fetch('key', V7, now)
    const text = fetched?.response.body.renderAt(now.getTime()).bytes.toString()
    expect(text).toBe('{"data_freshness_seconds":61,"cache_hit":true}')
  })

  it('do not use an answer that is not valid on this node now', async () => {
    here.set('key', made(3, { endsAtMs: NOON.getTime() + 10 }))
    expect(await there.fetch('key', forexAt(6), NOON)).toBeNull()
    expect(await there.fetch('key', forexAt(8), NOON)).toBeNull()
    expect(await there.fetch('key', V7, new Date(NOON.getTime() + 10))).toBeNull()
    expect(there.bytes).toBe(0)
    expect(await there.fetch('key', V7, NOON)).not.toBeNull()
  })
})
