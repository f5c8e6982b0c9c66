import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RequestRate } from '../../../src/core/request-rate.js'
import { lookUpRate, openFigiRate } from '../../../src/ingest/providers/openfigi/mapping-request.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createHttpClient } from '../../../src/platform/http-client/http-client.js'
import { type ReserveTurn, reserveInDatabase } from '../../../src/platform/http-client/reserve-turn.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const RATE: RequestRate = { provider: 'sec', pauseMs: 60_000 }
const log = { debug: () => {}, warn: () => {} } as unknown as Parameters<typeof createHttpClient>[0]['log'] // pino's overloads, of which one is used

describe.each(availableDatabases())('turns at the rate of a provider on %s', (kind) => {
  let database: Database
  let reserve: ReserveTurn
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    reserve = reserveInDatabase(database)
  })
  afterAll(() => database?.close())
  afterEach(() => database.script('truncate venue_rate'))
  /** Whole pauses that each of some requests, made one after another, waits. */
  const waits = async (rates: readonly RequestRate[]) => {
    const minutes: (number | null)[] = []
    for (const rate of rates) {
      const waitMs = await reserve(rate)
      minutes.push(waitMs === null ? null : Math.round(waitMs / RATE.pauseMs))
    }
    return minutes
  }

  it('are a pause apart for all that share the rate, and other providers have theirs', async () => {
    expect(await waits([RATE, RATE, { ...RATE, provider: 'gleif' }, RATE])).toEqual([0, 1, 0, 2])
  })

  it('are free at once within a burst, and those who allow no burst wait for all before them', async () => {
    const burst = { ...RATE, burst: 3 }
    expect(await waits([burst, burst, burst, burst, burst, RATE])).toEqual([0, 0, 0, 0, 1, 5])
  })

  it('are not reserved for a request that would wait too long', async () => {
    const impatient = { ...RATE, burst: 1, maxWaitMs: 0 }
    expect(await waits([impatient, impatient, impatient, impatient, RATE])).toEqual([0, 0, null, null, 2])
  })

  it('are never more than the published ones for jobs and look-ups at OpenFIGI, whatever comes first', async () => {
    const account = { url: 'https://api.openfigi.com', apiKey: null }
    const [ofJobs, ofLookUps] = [openFigiRate(account), lookUpRate(account)]
    if (ofLookUps === null) throw new Error('look-ups at OpenFIGI have a rate')
    const starts = await Promise.all(
      Array.from({ length: 40 }, (_, at) => reserve(at % 3 === 0 ? ofJobs : ofLookUps)),
    )
    const begun = starts.flatMap((waitMs) => (waitMs === null ? [] : [waitMs])).sort((a, b) => a - b)
    const inMinute = begun.map((at) => begun.filter((other) => other >= at && other < at + 60_000).length)
    expect(Math.max(...inMinute)).toBeLessThanOrEqual(25)
    expect(begun.length).toBeGreaterThan(14)
  })

  it('do not wait for a time that the clock of the database left behind', async () => {
    await database.script(
      `insert into venue_rate (venue, next_at) values ('sec', clock_timestamp() + interval '61 minutes')`,
    )
    expect(await waits([RATE, RATE])).toEqual([0, 1])
  })
})

describe('the HTTP client with rates', () => {
  let server: Server
  let base: string
  beforeAll(async () => {
    let failures = 2
    server = createServer((request, response) => {
      if (request.url === '/redirected') response.writeHead(302, { location: '/there' }).end()
      else if (request.url === '/busy' && failures-- > 0) response.writeHead(503).end()
      else response.end('answer')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
  })
  afterAll(() => {
    server.close()
  })
  const ask = async (path: string, waitMs: number | null, more: object = {}) => {
    let turns = 0
    const reserve = async () => {
      turns += 1
      return waitMs
    }
    const client = createHttpClient({ log, userAgent: 'test', reserve })
    const request = { url: base + path, timeoutMs: 5_000, maxBytes: 100, retries: 3, rate: RATE, ...more }
    const outcome = await client.request(request).then(
      ({ status }) => status,
      (error: unknown) => error,
    )
    return { turns, outcome }
  }

  it('lets each attempt and each redirect wait for a turn', async () => {
    expect(await ask('/busy', 0)).toEqual({ turns: 3, outcome: 200 })
    expect(await ask('/redirected', 0)).toEqual({ turns: 2, outcome: 200 })
  })

  it('does not count the wait as time of the request', async () => {
    expect(await ask('/', 1_500, { timeoutMs: 1_000 })).toEqual({ turns: 1, outcome: 200 })
  })

  it('sends nothing when the wait is too long or the caller stops waiting', async () => {
    expect(await ask('/', null)).toMatchObject({
      turns: 1,
      outcome: { kind: 'rate_used_up', retryAfterMs: RATE.pauseMs },
    })
    const stopped = await ask('/', 60_000, { signal: AbortSignal.timeout(50) })
    expect(stopped).toMatchObject({ turns: 1, outcome: { name: 'TimeoutError' } })
  })
})
