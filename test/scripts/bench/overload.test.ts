import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { documentOf } from '../../../scripts/bench/attack/documents.js'
import { coldPath } from '../../../scripts/bench/overload/cold-paths.js'
import { flood } from '../../../scripts/bench/overload/flood.js'
import { timesOf } from '../../../scripts/bench/shared/figures.js'

const UNTIL = new Date('2026-01-15T00:00:00Z')

describe('the requests of an overload', () => {
  it('are sent once only', () => {
    const paths = Array.from({ length: 100_000 }, (_, number) => coldPath(number, UNTIL))
    expect(new Set(paths).size).toBe(paths.length)
  })
})

describe('documents of the attack', () => {
  it('are all different and at most 240 kB', () => {
    const documents = Array.from({ length: 40 }, (_, number) => documentOf(number))
    expect(new Set(documents).size).toBe(documents.length)
    const longest = Math.max(...documents.map(({ length }) => length))
    expect(longest).toBeLessThanOrEqual(240_000)
    expect(longest).toBeGreaterThan(230_000)
  })
})

describe('an overload', () => {
  it('counts separately answers, refusals with a retry time, and others', async () => {
    let count = 0
    const replies = [[200], [503, { 'retry-after': '1' }], [503], [404]] as const
    const server = createServer((_request, response) => {
      const [status, headers = {}] = replies[count++ % replies.length] ?? [500]
      response.writeHead(status, headers).end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // it listens on a TCP port
    const given = {
      port,
      apiKey: 'key',
      connections: 4,
      seconds: 1,
      pathOf: (number: number) => `/${number}`,
    }
    const { answered, refused, others } = await flood(given)
    server.close()
    const { '404': notFound = 0, '503 without Retry-After': unsaid = 0, ...rest } = others
    expect(rest).toEqual({})
    expect(answered.count + refused.count + notFound + unsaid).toBe(count)
    for (const some of [answered.count, refused.count, notFound, unsaid]) expect(some).toBeGreaterThan(0)
  })

  it('has no times without a measurement', () => {
    expect(timesOf([])).toEqual({ count: 0, p50: null, p99: null, max: null })
    expect(timesOf([3, 1, 2])).toEqual({ count: 3, p50: 2, p99: 3, max: 3 })
  })
})
