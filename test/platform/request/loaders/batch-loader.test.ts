import { describe, expect, it } from 'vitest'
import type { Database } from '../../../../src/platform/database/database.js'
import { defineSharedLoader } from '../../../../src/platform/request/loaders/define-loader.js'
import type { RequestContext } from '../../../../src/platform/request/request-context.js'

const newDatabase = () => ({ identity: {} }) as Database
const DATABASE = newDatabase()

/** A request on a database; a loader reads no more of its context. */
function newRequest(database = DATABASE, origin = ''): RequestContext {
  return { database, clientAddress: origin } as RequestContext
}

/** A loader that notes the keys of each read. */
function notingLoader() {
  const reads: (readonly string[])[] = []
  const loaderOf = defineSharedLoader({
    load: async (keys: readonly string[]) => {
      reads.push(keys)
      if (keys.includes('bad')) throw new Error('out of reach')
      return new Map(keys.filter((key) => key !== 'absent').map((key) => [key, key.toUpperCase()]))
    },
    batchKey: (_key, { clientAddress: origin }) => origin,
  })
  return { reads, load: (key: string, request = newRequest()) => loaderOf(request).load(key), loaderOf }
}

describe('a shared loader', () => {
  it('reads the keys of one turn at once, each key once, and gives each request its own', async () => {
    const { reads, load } = notingLoader()
    expect(await Promise.all(['b', 'a', 'b', 'absent'].map((key) => load(key)))).toEqual([
      'B',
      'A',
      'B',
      null,
    ])
    expect(reads).toEqual([['b', 'a', 'absent']])
  })

  it('never answers a request by a read that had begun before it', async () => {
    const { reads, load } = notingLoader()
    let begin = (): void => {}
    const isReading = new Promise<void>((resolve) => {
      begin = resolve
    })
    let answer = (): void => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    const loaderOf = defineSharedLoader({
      load: async (keys: readonly string[]) => {
        reads.push(keys)
        begin()
        if (reads.length === 1) await held
        return new Map(keys.map((key) => [key, reads.length]))
      },
      batchKey: () => '',
    })
    const first = loaderOf(newRequest()).load('a')
    await isReading
    const second = loaderOf(newRequest()).load('a')
    expect(await second).toBe(2)
    answer()
    expect(await first).toBe(2)
    expect(reads).toEqual([['a'], ['a']])
    expect(await load('a')).toBe('A')
  })

  it('separates different batch keys, and other databases', async () => {
    const { reads, load } = notingLoader()
    const asked = [newRequest(DATABASE, 'x'), newRequest(DATABASE, 'y'), newRequest(newDatabase(), 'x')]
    expect(await Promise.all(asked.map((request) => load('a', request)))).toEqual(['A', 'A', 'A'])
    expect(reads).toEqual([['a'], ['a'], ['a']])
  })

  it('reads a request with many keys separately, and fills no read beyond 100 keys', async () => {
    const { reads, load, loaderOf } = notingLoader()
    const many = loaderOf(newRequest()).loadMany(['1', '2', '3', '4', '5'])
    const single = Array.from({ length: 150 }, (_, n) => load(`k${n}`))
    await Promise.all([many, ...single])
    expect(reads.map((keys) => keys.length)).toEqual([5, 100, 50])
  })

  it('reports a failure to the waiting requests, and to none after them', async () => {
    const { load } = notingLoader()
    const failed = await Promise.allSettled([load('bad'), load('a')])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await load('a')).toBe('A')
  })
})
