import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { documentOf } from '../../../scripts/bench/attack/documents.js'
import { timesOf } from '../../../scripts/bench/figures.js'
import { coldPath } from '../../../scripts/bench/overload/cold-paths.js'
import { flood } from '../../../scripts/bench/overload/flood.js'

const UNTIL = new Date('2026-01-15T00:00:00Z')

describe('what an overload asks', () => {
  it('is asked once only', () => {
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
  it('counts answers, refusals and others apart', async () => {
    let count = 0
    const statuses = [200, 503, 404]
    const server = createServer((_request, response) => {
      response.writeHead(statuses[count++ % statuses.length] ?? 500).end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // it listens on a TCP port
    const given = {
      port,
      apiKey: 'key',
      connections: 3,
      seconds: 1,
      pathOf: (number: number) => `/${number}`,
    }
    const { answered, refused, others } = await flood(given)
    server.close()
    expect(answered.count + refused.count + (others['404'] ?? 0)).toBe(count)
    expect(refused.count).toBeGreaterThan(0)
    expect(others['404']).toBeGreaterThan(0)
  })

  it('has no times where nothing was measured', () => {
    expect(timesOf([])).toEqual({ count: 0, p50: null, p99: null, max: null })
    expect(timesOf([3, 1, 2])).toEqual({ count: 3, p50: 2, p99: 3, max: 3 })
  })
})
