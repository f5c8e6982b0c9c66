import { describe, expect, it } from 'vitest'
import { defineLoader } from '../../../../src/platform/request/loaders/define-loader.js'
import type { RequestContext } from '../../../../src/platform/request/request-context.js'

// A loader uses its context as a key and hands it on; nothing in it is read here.
const newContext = () => ({}) as RequestContext

describe('defineLoader', () => {
  it('loads all keys of one tick at once, each once, in order of the callers', async () => {
    const batches: (readonly number[])[] = []
    const loaderOf = defineLoader(async (keys: readonly number[]) => {
      batches.push(keys)
      return new Map(keys.map((key) => [String(key), key * 10]))
    })
    const loader = loaderOf(newContext())
    const values = await Promise.all([loader.load(3), loader.load(1), loader.load(3), loader.load(2)])
    expect(values).toEqual([30, 10, 30, 20])
    expect(batches).toEqual([[3, 1, 2]])
  })

  it('loads a missing key as null, and zero and false unchanged', async () => {
    const found = new Map<string, number | boolean>([
      ['zero', 0],
      ['no', false],
    ])
    const loader = defineLoader(async (_keys: readonly string[]) => found)(newContext())
    expect(await loader.loadMany(['zero', 'absent', 'no'])).toEqual([0, null, false])
  })

  it('keeps loaded values for the rest of the request only', async () => {
    let loads = 0
    const loaderOf = defineLoader(async (keys: readonly string[]) => {
      loads += 1
      return new Map(keys.map((key) => [key, loads]))
    })
    const [first, second] = [newContext(), newContext()]
    expect(loaderOf(first)).toBe(loaderOf(first))
    expect(await loaderOf(first).load('a')).toBe(1)
    expect(await loaderOf(first).load('a')).toBe(1)
    expect(await loaderOf(second).load('a')).toBe(2)
  })

  it('recognizes equal object keys by their text', async () => {
    interface Day {
      readonly quote: string
      readonly date: string
    }
    const batches: (readonly Day[])[] = []
    const textOf = ({ quote, date }: Day) => `${quote} ${date}`
    const loader = defineLoader(async (keys: readonly Day[]) => {
      batches.push(keys)
      return new Map(keys.map((key) => [textOf(key), key.quote]))
    }, textOf)(newContext())
    const day = { quote: 'USD', date: '2026-01-30' }
    expect(await Promise.all([loader.load(day), loader.load({ ...day })])).toEqual(['USD', 'USD'])
    expect(batches).toEqual([[day]])
  })

  it('passes its context to the load, and a failure to every waiting caller', async () => {
    const seen: RequestContext[] = []
    const loaderOf = defineLoader(async (_keys: readonly string[], context: RequestContext) => {
      seen.push(context)
      throw new Error('out of reach')
    })
    const context = newContext()
    const results = await Promise.allSettled([loaderOf(context).load('a'), loaderOf(context).load('b')])
    expect(results.map((result) => result.status === 'rejected' && String(result.reason))).toEqual([
      'Error: out of reach',
      'Error: out of reach',
    ])
    expect(seen).toEqual([context])
    expect(seen[0]).toBe(context)
  })
})
