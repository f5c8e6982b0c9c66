import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/platform/database/database.js'
import { startTestApp, type TestApp, TestClock } from '../support/app/app.js'
import {
  availableDatabases,
  availableRedis,
  copyPostgresWorld,
  dropPostgresDatabase,
} from '../support/database/database.js'
import { amountOf, noteFigures } from '../support/figures.js'
import { BLACK_HOLE, type CuttableProxy, startCuttableProxy } from '../support/peers/cuttable-proxy.js'
import { faultOf, type Outcome, outcomeOf } from '../support/processes/load.js'

// Each way in which the network takes PostgreSQL or Redis away, under load of metered requests and of new keys.

const ROUNDS = amountOf('FAULT_ROUNDS', 1)

/** Requests at once, before the fault and in it. */
const AT_ONCE = 16
/** Longest that a client waits for its answer, whatever is out: what it waits for in a row, and a busy machine. */
const ANSWERED_MS = 10_000
/** How long after the end of a fault readiness is back. */
const READY_MS = 5_000

/** How long after it what was charged for refusals is given back. */
const GIVEN_BACK_MS = 3_000

const HOUR_MS = 3_600_000

interface Mode {
  readonly name: string
  /** Nothing gets through: what is asked in it is refused. */
  readonly isOut: boolean
  begin(proxy: CuttableProxy): void
  end(proxy: CuttableProxy): void
}

const mend = (proxy: CuttableProxy) => proxy.mend()
const pass = (proxy: CuttableProxy) => proxy.pass()

const MODES: readonly Mode[] = [
  { name: 'cut', isOut: true, begin: (proxy) => proxy.cut(), end: mend },
  { name: 'reset', isOut: true, begin: (proxy) => proxy.reset(), end: mend },
  { name: 'half-closed to the client', isOut: true, begin: (proxy) => proxy.halfClose('client'), end: mend },
  { name: 'half-closed to the server', isOut: true, begin: (proxy) => proxy.halfClose('server'), end: mend },
  { name: 'a black hole', isOut: true, begin: (proxy) => proxy.disturb(BLACK_HOLE), end: pass },
  {
    name: 'a black hole for answers',
    isOut: true,
    begin: (proxy) => proxy.disturb({ towards: 'client', passBytes: 0 }),
    end: pass,
  },
  {
    name: 'throttled to 200 bytes a second',
    isOut: false,
    begin: (proxy) => proxy.disturb({ bytesPerSecond: 200 }),
    end: pass,
  },
  { name: 'late by 3 s', isOut: true, begin: (proxy) => proxy.disturb({ delayMs: 3_000 }), end: pass },
  { name: 'late by 20 ms', isOut: false, begin: (proxy) => proxy.disturb({ delayMs: 20 }), end: pass },
]

const hasPostgres = availableDatabases().includes('postgres')
const redisUrl = availableRedis()
const services = [...(hasPostgres ? ['PostgreSQL'] : []), ...(redisUrl === null ? [] : ['Redis'])] as const

describe.each(services)('with its way to %s', (service) => {
  let url: string | null = null
  let proxy: CuttableProxy
  let database: Database
  let app: TestApp
  let readKey: string
  /** Of another account for each fault: one has at most 100 keys. */
  let makerKey: string
  let requests = 0
  let faults = 0
  let doubtful = 0
  const findings: string[] = []

  beforeAll(async () => {
    url = hasPostgres ? await copyPostgresWorld('seeded') : null
    const isDatabase = service === 'PostgreSQL'
    proxy = await startCuttableProxy((isDatabase ? url : redisUrl) ?? '')
    const databaseUrl = isDatabase ? proxy.url : url
    const target =
      databaseUrl === null
        ? ({ kind: 'memory' } as const)
        : ({ kind: 'postgres', url: databaseUrl, poolSize: 4 } as const)
    database = await openDatabase(target)
    app = await startTestApp('postgres', {
      database,
      clock: new TestClock(new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS)),
      env: {
        BURST_PER_MINUTE: '1000000',
        ...(isDatabase ? { READINESS_NEEDS_DATABASE: 'true' } : { REDIS_URL: proxy.url }),
      },
    })
    readKey = await app.newKey({ tier: 'pro' })
  })

  afterEach(() => proxy.mend())

  afterAll(async () => {
    noteFigures({
      part: `faults of ${service}`,
      done: { faults, requests, 'doubtful units': doubtful },
      findings,
    })
    await app?.close()
    await database?.close()
    await proxy?.close()
    if (url !== null) await dropPostgresDatabase(url)
  })

  let asked = 0
  const send = async (what: string, init: RequestInit = {}) => {
    requests += 1
    return outcomeOf(what, app.url + what, init)
  }
  /** Never asked before, so that no answer is kept. */
  const read = () => {
    asked += 1
    const day = new Date(Date.UTC(2026, 9, 1) - asked * 86_400_000).toISOString().slice(0, 10)
    return send(`/v1/forex?quote=USD&from=${day}`, { headers: { 'x-api-key': readKey } })
  }
  const nest = () => {
    asked += 1
    const query = `{ a${asked}: forex(quote: "USD", from: "2026-01-01") { rows } }`
    return send('/graphql', {
      method: 'POST',
      body: JSON.stringify({ query }),
      headers: { 'x-api-key': readKey, 'content-type': 'application/json' },
    })
  }
  const make = () => {
    asked += 1
    return send('/auth/keys', {
      method: 'POST',
      body: JSON.stringify({ label: `made ${asked}` }),
      headers: { 'x-api-key': makerKey, 'content-type': 'application/json' },
    })
  }
  const burst = () =>
    Array.from({ length: AT_ONCE }, (_, at) => (at % 8 === 0 ? make() : at % 2 === 0 ? nest() : read()))
  /** A check of a busy machine may come too late: the best of some. */
  const ready = async () => {
    for (const endsAt = performance.now() + READY_MS; ; ) {
      const outcome = await send('/readyz')
      if (outcome.status === 200 || performance.now() > endsAt) return outcome
    }
  }
  /** What is kept in memory is not recent enough any more. */
  const age = () => app.clock.advance(20_000)

  const usedUnits = async () => {
    const { headers, status } = await send('/v1/forex?quote=USD&from=2026-11-01', {
      headers: { 'x-api-key': readKey },
    })
    expect(status).toBe(200)
    return Number(headers.get('x-ratelimit-limit')) - Number(headers.get('x-ratelimit-remaining'))
  }

  const cases = Array.from({ length: ROUNDS }, () => MODES).flat()
  it.each(cases)(
    '$name every answer comes in time, readiness tells the truth, and all is as before soon after',
    async (mode) => {
      faults += 1
      makerKey = await app.newKey({ tier: 'pro' })
      const wrong: string[] = []
      const usedBefore = await usedUnits()
      const inFlight = burst()
      // Some wait for their charge, some for what they read.
      await Promise.race(inFlight)
      mode.begin(proxy)
      const early = await Promise.all(inFlight)
      age()
      const isRefused = service === 'PostgreSQL' && mode.isOut
      const [late, readiness, healthy] = await Promise.all([
        Promise.all(burst()),
        isRefused ? send('/readyz') : ready(),
        send('/healthz'),
      ])
      // Redis is not needed to answer: a node goes on by what it knows.
      const mayRefuse = service === 'PostgreSQL' && mode.name !== 'late by 20 ms'
      const open = { statuses: mayRefuse ? [200, 201, 503] : [200, 201], withinMs: ANSWERED_MS }
      for (const outcome of early) wrong.push(...listOf(faultOf(outcome, open)))
      const shut = isRefused ? { ...open, statuses: [503] } : open
      for (const outcome of late) wrong.push(...listOf(faultOf(outcome, shut)))
      const isReady = { ...open, statuses: isRefused ? [503] : mayRefuse ? [200, 503] : [200] }
      wrong.push(
        ...listOf(faultOf(readiness, isReady)),
        ...listOf(faultOf(healthy, { ...open, statuses: [200] })),
      )

      mode.end(proxy)
      const endedAt = performance.now()
      await expect
        .poll(async () => (await send('/readyz')).status, { timeout: 4 * READY_MS, interval: 20 })
        .toBe(200)
      const readyMs = performance.now() - endedAt
      if (readyMs > READY_MS) wrong.push(`ready ${Math.round(readyMs)} ms after the end`)
      const healed = await Promise.all(burst())
      for (const outcome of healed) wrong.push(...listOf(faultOf(outcome, { ...open, statuses: [200, 201] })))

      const answered = [...early, ...late, ...healed]
      wrong.push(...(await keysLost(answered)), ...(await chargesOff(usedBefore, answered)))
      findings.push(...wrong.map((text) => `${mode.name}: ${text}`))
      expect(wrong).toEqual([])
    },
    120_000,
  )

  /** Keys that were handed out and do not open anything. */
  async function keysLost(outcomes: readonly Outcome[]): Promise<readonly string[]> {
    const made = outcomes.filter(({ what, status }) => what === '/auth/keys' && status === 201)
    const tried = await Promise.all(
      made.map(({ text }) => {
        const { raw_key } = JSON.parse(text) as { raw_key: string } // asserted by its status
        return send('/auth/me', { headers: { 'x-api-key': raw_key } })
      }),
    )
    return tried.flatMap(({ status }) => (status === 200 ? [] : [`a key that was handed out is a ${status}`]))
  }

  /**
   * Each answer is charged once, and a refusal not at all: what was charged for it is given back. Of a charge in PostgreSQL
   * whose answer was lost under way nobody knows whether it was made: such units are counted as doubtful. Redis knows.
   */
  async function chargesOff(before: number, outcomes: readonly Outcome[]): Promise<readonly string[]> {
    const metered = outcomes.filter(({ what }) => what !== '/auth/keys')
    const answered = metered.filter(({ status }) => status === 200).length
    let [charged, looks] = [0, 0]
    for (const until = performance.now() + GIVEN_BACK_MS; performance.now() < until; await sleep(100)) {
      looks += 1
      charged = (await usedUnits()) - before - looks // a look costs one too
      if (charged <= answered) break
    }
    doubtful += Math.max(0, charged - answered)
    const most = service === 'Redis' ? answered : metered.length
    const isRight = charged >= answered && charged <= most
    return isRight ? [] : [`${answered} answers of ${metered.length} cost ${charged} units`]
  }
})

function listOf(wrong: string | null): readonly string[] {
  return wrong === null ? [] : [wrong]
}
