import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parseEvmAddress } from '../../../src/core/identifiers.js'
import type { RequestRate } from '../../../src/core/request-rate.js'
import { DAY_MS } from '../../../src/core/time.js'
import { etherscanName } from '../../../src/ingest/providers/etherscan/contract-name.js'
import { lookUpRate, openFigiRate } from '../../../src/ingest/providers/openfigi/mapping-request.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createHttpClient } from '../../../src/platform/http-client/http-client.js'
import {
  loadRestingProviders,
  MAX_REST_MS,
  type RequestTurns,
  requestTurns,
  type Turn,
} from '../../../src/platform/http-client/request-turns.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'

const RATE: RequestRate = { provider: 'sec', pauseMs: 60_000 }
const ADDRESS = parseEvmAddress(`0x${'1'.repeat(40)}`) ?? expect.fail('an address is read')
const CONTRACT = { chainId: 1, address: ADDRESS }
const log = { debug: () => {}, warn: () => {} } as unknown as Parameters<typeof createHttpClient>[0]['log'] // pino's overloads, of which one is used

describe.each(availableDatabases())('turns at the rate of a provider on %s', (kind) => {
  let database: Database
  let turns: RequestTurns
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    turns = requestTurns(database)
  })
  afterAll(() => database?.close())
  afterEach(() => database.script('truncate venue_rate'))
  /** Whole pauses that each of some requests, made one after another, waits. */
  const waits = async (rates: readonly RequestRate[]) => {
    const minutes: (number | null)[] = []
    for (const rate of rates) {
      const turn = await turns.reserve(rate)
      minutes.push('waitMs' in turn ? Math.round(turn.waitMs / RATE.pauseMs) : null)
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
    const refused = await turns.reserve(impatient)
    expect(refused).toEqual({ retryAfterMs: expect.closeTo(2 * RATE.pauseMs, -4), rest: null })
  })

  it('are never more than the published ones for jobs and look-ups at OpenFIGI, whatever comes first', async () => {
    const [ofJobs, ofLookUps] = [openFigiRate(null), lookUpRate(null)]
    const starts = await Promise.all(
      Array.from({ length: 40 }, (_, at) => turns.reserve(at % 3 === 0 ? ofJobs : ofLookUps)),
    )
    const begun = starts.flatMap((turn) => ('waitMs' in turn ? [turn.waitMs] : [])).sort((a, b) => a - b)
    const inMinute = begun.map((at) => begun.filter((other) => other >= at && other < at + 60_000).length)
    expect(Math.max(...inMinute)).toBeLessThanOrEqual(25)
    expect(begun.length).toBeGreaterThan(14)
  })

  it('are never more than the free plan of Etherscan allows in a second and in a day', async () => {
    const { rate } = etherscanName.request(CONTRACT, 'key')
    if (rate === undefined) throw new Error('look-ups at Etherscan have a rate')
    const started: number[] = []
    for (let at = 0; at < 40; at++) {
      const turn = await turns.reserve(rate)
      if ('waitMs' in turn) started.push(performance.now() + turn.waitMs)
    }
    const inSecond = started.map((at) => started.filter((other) => other >= at && other < at + 1_000).length)
    expect(started).toHaveLength(40)
    expect(Math.max(...inSecond)).toBeLessThanOrEqual(3)
    expect(DAY_MS / rate.pauseMs + (rate.burst ?? 0)).toBeLessThan(100_000)
  })

  it('do not wait for a time that the clock of the database left behind', async () => {
    await database.script(
      `insert into venue_rate (venue, next_at) values ('sec', clock_timestamp() + interval '61 minutes')`,
    )
    expect(await waits([RATE, RATE])).toEqual([0, 1])
  })

  describe('while the provider rests', () => {
    const QUICK: RequestRate = { ...RATE, pauseMs: 100 }
    const waitOf = (turn: Turn) => ('waitMs' in turn ? turn.waitMs : expect.fail(JSON.stringify(turn)))

    it('are refused to all that share the rate until it ends, with the cause, and other providers have theirs', async () => {
      await turns.reserve(QUICK)
      await turns.rest('sec', 600_000, 'status 403')
      for (const rate of [QUICK, { ...QUICK, burst: 50 }, { ...QUICK, maxWaitMs: 0 }]) {
        const refused = await turns.reserve(rate)
        expect(refused).toMatchObject({
          retryAfterMs: expect.closeTo(600_000, -4),
          rest: { cause: 'status 403' },
        })
      }
      expect(waitOf(await turns.reserve({ ...QUICK, provider: 'gleif' }))).toBeLessThan(1)
      const until = expect.any(Date)
      expect(await loadRestingProviders(database)).toEqual([{ provider: 'sec', until, cause: 'status 403' }])
    })

    it('wait for the end of a short rest and then are a pause apart, also within a burst', async () => {
      const slow = { ...RATE, pauseMs: 10_000 }
      await turns.rest('sec', 30_000, 'status 429')
      const first = waitOf(await turns.reserve(slow))
      const second = waitOf(await turns.reserve(slow))
      const inBurst = waitOf(await turns.reserve({ ...slow, burst: 50 }))
      expect([first, second, inBurst].map((ms) => Math.round(ms / 10_000))).toEqual([3, 4, 3])
      expect(await turns.reserve({ ...slow, maxWaitMs: 1_000 })).not.toHaveProperty('waitMs')
    })

    it('begin again when the rest is over', async () => {
      await turns.rest('sec', 600_000, 'status 403')
      await database.script(`update venue_rate set rests_until = clock_timestamp() - interval '1 second'`)
      expect(waitOf(await turns.reserve(QUICK))).toBeLessThan(1)
      expect(await loadRestingProviders(database)).toEqual([])
    })

    it('are refused until the latest end that the provider stated, but never longer than the longest rest', async () => {
      await turns.rest('sec', 600_000, 'first')
      await turns.rest('sec', 1_000, 'second')
      expect(await loadRestingProviders(database)).toMatchObject([{ cause: 'first' }])
      await turns.rest('sec', 1e12, 'third')
      const refused = await turns.reserve(QUICK)
      expect(refused).toMatchObject({
        retryAfterMs: expect.closeTo(MAX_REST_MS, -4),
        rest: { cause: 'third' },
      })
    })

    it('do not wait for the end of a rest that the clock of the database left behind', async () => {
      await database.script(
        `insert into venue_rate (venue, next_at, rests_until)
         values ('sec', clock_timestamp(), clock_timestamp() + interval '7 hours')`,
      )
      expect(waitOf(await turns.reserve(QUICK))).toBeLessThan(1)
      await turns.rest('sec', 600_000, 'status 403')
      expect(await turns.reserve(QUICK)).toMatchObject({ rest: { cause: 'status 403' } })
    })
  })
})

describe('the HTTP client with rates', () => {
  let server: Server
  let base: string
  beforeAll(async () => {
    let failures = 2
    const answers: Readonly<Record<string, readonly [number, Record<string, string>, string]>> = {
      '/redirected': [302, { location: '/there' }, ''],
      '/throttled': [429, { 'retry-after': '120' }, ''],
      '/throttled-somehow': [429, {}, ''],
      '/forbidden': [403, {}, 'Forbidden'],
      '/page': [200, {}, '\ufeff\n <!DOCTYPE html><html></html>'],
      '/lost': [404, {}, '<html></html>'],
    }
    server = createServer((request, response) => {
      const [status, headers, body] = answers[request.url ?? ''] ?? [200, {}, 'answer']
      if (request.url === '/busy' && failures-- > 0) response.writeHead(503).end()
      else response.writeHead(status, headers).end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on TCP
  })
  afterAll(() => {
    server.close()
  })
  const ask = async (path: string, turn: Turn, more: object = {}) => {
    let reserved = 0
    const rests: (readonly [string, number])[] = []
    const turns: RequestTurns = {
      reserve: async () => {
        reserved += 1
        return turn
      },
      rest: async (provider, ms) => void rests.push([provider, ms]),
    }
    const client = createHttpClient({ log, userAgent: 'test', turns })
    const request = { url: base + path, timeoutMs: 5_000, maxBytes: 100, retries: 3, rate: RATE, ...more }
    const outcome = await client.request(request).then(
      ({ status }) => status,
      (error: unknown) => error,
    )
    return { turns: reserved, rests, outcome }
  }
  const AT_ONCE = { waitMs: 0 }

  it('lets each attempt and each redirect wait for a turn', async () => {
    expect(await ask('/busy', AT_ONCE)).toEqual({ turns: 3, rests: [], outcome: 200 })
    expect(await ask('/redirected', AT_ONCE)).toEqual({ turns: 2, rests: [], outcome: 200 })
  })

  it('does not count the wait as time of the request, unless its caller limits the wait', async () => {
    const wait = { waitMs: 1_500 }
    expect(await ask('/', wait, { timeoutMs: 1_000 })).toMatchObject({ turns: 1, outcome: 200 })
    const rate = { ...RATE, maxWaitMs: 2_000 }
    const late = await ask('/', wait, { timeoutMs: 1_000, rate })
    expect(late).toMatchObject({ turns: 1, outcome: { kind: 'rate_used_up' } })
  })

  it('sends nothing when the wait is too long or the caller stops waiting', async () => {
    expect(await ask('/', { retryAfterMs: 7_000, rest: null })).toMatchObject({
      turns: 1,
      outcome: { kind: 'rate_used_up', retryAfterMs: 7_000 },
    })
    const until = new Date('2026-11-27T12:00:00Z')
    expect(await ask('/', { retryAfterMs: 7_000, rest: { until, cause: 'status 403' } })).toMatchObject({
      outcome: { message: `${base}/ is not requested before 2026-11-27T12:00:00.000Z: status 403` },
    })
    const stopped = await ask('/', { waitMs: 60_000 }, { signal: AbortSignal.timeout(50) })
    expect(stopped).toMatchObject({ turns: 1, outcome: { name: 'TimeoutError' } })
  })

  it('lets a provider rest that states when to come back', async () => {
    expect(await ask('/throttled', AT_ONCE)).toMatchObject({ turns: 1, rests: [['sec', 120_000]] })
    expect(await ask('/throttled-somehow', AT_ONCE, { retries: 0 })).toMatchObject({ rests: [] })
    expect(await ask('/forbidden', AT_ONCE)).toMatchObject({ rests: [], outcome: 403 })
    expect(await ask('/page', AT_ONCE)).toMatchObject({ rests: [], outcome: 200 })
  })

  it.each(['/throttled', '/throttled-somehow', '/forbidden', '/page'])(
    'lets a provider rest that blocks addresses, and asks no further, after %s',
    async (path) => {
      const blocked = await ask(path, AT_ONCE, { rate: { ...RATE, blockMs: 600_000 } })
      expect(blocked).toMatchObject({
        ...{ turns: 1, rests: [['sec', 600_000]] },
        outcome: { kind: 'blocked', retryAfterMs: 600_000 },
      })
      expect(String(blocked.outcome)).toContain('the provider blocks this address for 10 minutes')
    },
  )

  it('takes another answer of such a provider as an answer', async () => {
    const rate = { ...RATE, blockMs: 600_000 }
    expect(await ask('/lost', AT_ONCE, { rate })).toMatchObject({ rests: [], outcome: 404 })
    expect(await ask('/', AT_ONCE, { rate })).toMatchObject({ rests: [], outcome: 200 })
  })

  it('throws the answer of the provider although its rest cannot be stored', async () => {
    const turns: RequestTurns = {
      reserve: async () => AT_ONCE,
      rest: () => Promise.reject(new Error('the database is gone')),
    }
    const client = createHttpClient({ log, userAgent: 'test', turns })
    const request = { url: `${base}/throttled`, timeoutMs: 5_000, maxBytes: 100, retries: 0, rate: RATE }
    await expect(client.request(request)).rejects.toMatchObject({ status: 429, retryAfterMs: 120_000 })
  })
})
