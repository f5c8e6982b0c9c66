import { describe, expect, it } from 'vitest'
import type { Database } from '../../../../src/platform/database/database.js'
import { memoizeByVersion } from '../../../../src/platform/request/loaders/memoize-by-version.js'
import { statesOf } from '../../../support/database/dataset-states.js'

const AT = new Date('2026-11-20T12:00:00Z')
const newDatabase = () => ({ identity: {} }) as Database
const DATABASE = newDatabase()

/** A request that sees a version of forex; a read by version uses no more of its context. */
const requestAt = (version: number, database = DATABASE) => ({
  database,
  datasets: statesOf({ forex: version, candles: 10 + version }, AT),
})

/** A read that notes its keys; each gives its place among the reads. */
function notingRead(max = 10) {
  const reads: string[] = []
  let failures = 0
  const read = memoizeByVersion({
    datasetsOf: () => ['forex'],
    keyText: (key: string) => key,
    max,
    read: async (key) => {
      const place = reads.push(key)
      failures -= 1
      if (failures >= 0) throw new Error('out of reach')
      return `${key}${place}`
    },
  })
  const fail = (times: number) => {
    failures = times
  }
  return { reads, read, fail }
}

describe('a read by version', () => {
  it('runs once while the version stays, for simultaneous and later requests', async () => {
    const { reads, read } = notingRead()
    expect(await Promise.all([read('a', requestAt(1)), read('a', requestAt(1))])).toEqual(['a1', 'a1'])
    expect(await read('a', requestAt(1))).toBe('a1')
    expect(await read('b', requestAt(1))).toBe('b2')
    expect(reads).toEqual(['a', 'b'])
  })

  it('runs again if the version of one of its datasets rises, and only then', async () => {
    const { reads, read } = notingRead()
    await read('a', requestAt(1))
    const otherRose = { database: DATABASE, datasets: statesOf({ forex: 1, candles: 99 }, AT) }
    expect(await read('a', otherRose)).toBe('a1')
    expect(await read('a', requestAt(2))).toBe('a2')
    expect(await read('a', requestAt(2))).toBe('a2')
    expect(reads).toHaveLength(2)
  })

  it('separates databases', async () => {
    const { read } = notingRead()
    expect(await read('a', requestAt(1))).toBe('a1')
    expect(await read('a', requestAt(1, newDatabase()))).toBe('a2')
  })

  it('fails for all who share it, and runs again for the next request', async () => {
    const { reads, read, fail } = notingRead()
    fail(1)
    const asked = await Promise.allSettled([read('a', requestAt(1)), read('a', requestAt(1))])
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(reads).toHaveLength(1)
    expect(await read('a', requestAt(1))).toBe('a2')
  })

  it('that fails does not drop the value of a later version', async () => {
    const { reads, read, fail } = notingRead()
    fail(1)
    const failing = read('a', requestAt(1))
    expect(await read('a', requestAt(2))).toBe('a2')
    await expect(failing).rejects.toThrow('out of reach')
    expect(await read('a', requestAt(2))).toBe('a2')
    expect(reads).toHaveLength(2)
  })

  it('keeps a limited number of values, and drops the least recently used', async () => {
    const { reads, read } = notingRead(2)
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await read(key, requestAt(1))
    expect(reads).toEqual(['a', 'b', 'c', 'b'])
  })
})
