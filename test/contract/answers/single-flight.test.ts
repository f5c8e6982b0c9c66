import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Usage } from '../../../src/domains/usage/model.js'
import type { Database } from '../../../src/platform/database/database.js'
import { type Answer, startTestApp, type TestApp } from '../../support/app/app.js'
import { wasKept } from '../../support/app/kept-answers.js'
import { LARGE_BYTES, LARGE_OPERATION } from '../../support/app/large-operation.js'
import { nextRequest } from '../../support/app/next-request.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'

/** The statement of an answer, which runs when the request is charged already; not the one of the currencies there are. */
const readsRates = (sql: string) => sql.includes('from forex_rate as f') && sql.includes('between')
/** The first statement of a charge to a caller that had none. */
const readsCounters = (sql: string) => sql.includes('from rate_counter')
const operation = (query: string) => ({ method: 'POST', body: { query } })

/** Waits for a state as long as a busy machine may take to reach it. */
const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000 })

describe.each([quickestDatabase()])('a request for an answer that is being computed, on %s', (kind) => {
  let app: TestApp
  let database: Database
  let before: (sql: string) => void | Promise<void> = () => {}
  let reads = 0
  beforeAll(async () => {
    database = await openTestDatabase(kind, 'seeded')
    const watched = interposed(database, async (sql) => {
      if (readsRates(sql)) reads += 1
      await before(sql)
    })
    app = await startTestApp(kind, { database: watched })
  })
  afterAll(async () => {
    await app?.close()
    await database?.close()
  })
  afterEach(() => {
    before = () => {}
    reads = 0
  })

  /** Holds the statements of a read back until they are let through. */
  function holdReads(): { readonly held: () => number; letGo(): void } {
    const waiting: (() => void)[] = []
    let isOpen = false
    before = (sql) => {
      if (isOpen || !readsRates(sql)) return
      return new Promise((resolve) => waiting.push(resolve))
    }
    return {
      held: () => waiting.length,
      letGo: () => {
        isOpen = true
        for (const resolve of waiting) resolve()
      },
    }
  }

  const path = (quote: string, day: number) =>
    `/v1/forex?quote=${quote}&from=2026-10-01&to=2026-10-${10 + day}`
  /** What a key was charged in this hour, by requests under way too. */
  const unitsOf = async (key: string) =>
    (await app.rest<Usage>('/v1/usage', { key })).body.policies.find(({ policy }) => policy === 'hour')?.used
  /** Each request is charged before it waits for the first one. */
  const untilCharged = (key: string, units: number) =>
    until(async () => expect(await unitsOf(key)).toBe(units))
  const hitsOf = (answers: readonly Answer[]) => answers.filter((answer) => wasKept(app, answer)).length

  it.each([
    ['REST', (key: string) => app.rest(path('USD', 1), { key })],
    [
      'GraphQL',
      (key: string) =>
        app.rest('/graphql', { ...operation('{ forex(quote: "SEK") { data { date rate } } }'), key }),
    ],
  ] as const)('by %s gets the one answer that is made, each charged for itself', async (_door, ask) => {
    const key = await app.newKey({ tier: 'pro' })
    const gate = holdReads()
    const asked = Array.from({ length: 50 }, () => ask(key))
    await until(() => expect(gate.held()).toBeGreaterThan(0))
    await untilCharged(key, 50)
    gate.letGo()
    const answers = await Promise.all(asked)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(reads).toBe(1)
    expect(hitsOf(answers)).toBe(49)
    const bodies = answers.map(({ body }) => (body as { data: unknown }).data)
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1)
    const { body } = await app.rest<Usage>('/v1/usage', { key })
    expect(body.policies[0]).toMatchObject({ policy: 'hour', used: 50 })
    expect(body.days).toMatchObject([{ operation: 'forex', units: 50, requests: 50 }])
  })

  it('gets a free 304 if its client has any answer', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const gate = holdReads()
    const first = app.rest(path('NOK', 6), { key })
    await until(() => expect(gate.held()).toBe(1))
    const others = Array.from({ length: 5 }, () =>
      app.rest(path('NOK', 6), { key, headers: { 'if-none-match': '*' } }),
    )
    await untilCharged(key, 6)
    gate.letGo()
    const { status, headers } = await first
    expect(status).toBe(200)
    for (const other of await Promise.all(others)) {
      expect([other.status, other.text, other.headers.get('etag')]).toEqual([304, '', headers.get('etag')])
    }
    expect(reads).toBe(1)
    expect(await unitsOf(key)).toBe(1)
  })

  it('gets a free 304 if its client has any answer, even if the first request ends meanwhile', async () => {
    const [key, other] = [await app.newKey({ tier: 'pro' }), await app.newKey({ tier: 'pro' })]
    const gate = holdReads()
    const holdsRates = before
    const first = app.rest(path('SEK', 7), { key })
    await until(() => expect(gate.held()).toBe(1))
    let charge = () => {}
    let isHeld = false
    // The second request has found no answer, and waits for its charge, while the first one ends.
    before = (sql) => {
      if (isHeld || !readsCounters(sql)) return holdsRates(sql)
      isHeld = true
      return new Promise((resolve) => {
        charge = resolve
      })
    }
    const second = app.rest(path('SEK', 7), { key: other, headers: { 'if-none-match': '*' } })
    await until(() => expect(isHeld).toBe(true))
    gate.letGo()
    const { status, headers } = await first
    expect(status).toBe(200)
    charge()
    const { status: confirmed, text, headers: its } = await second
    expect([confirmed, text, its.get('etag')]).toEqual([304, '', headers.get('etag')])
    expect(reads).toBe(1)
    expect([await unitsOf(key), await unitsOf(other)]).toEqual([1, 0])
  })

  it('neither waits for nor gets an answer for other scopes', async () => {
    const gate = holdReads()
    const [key, lesser] = [await app.newKey({ tier: 'pro' }), await app.newKey({ tier: 'free' })]
    // One after the other: reads of one moment share a statement, also those of several callers.
    const first = app.rest(path('USD', 2), { key })
    await until(() => expect(gate.held()).toBe(1))
    const second = app.rest(path('USD', 2), { key: lesser })
    await until(() => expect(gate.held()).toBe(2))
    gate.letGo()
    expect(hitsOf(await Promise.all([first, second]))).toBe(0)
  })

  it('gets an answer if the first request fails', async () => {
    const key = await app.newKey({ tier: 'pro' })
    let failures = 1
    before = async (sql) => {
      if (!readsRates(sql)) return
      failures -= 1
      if (failures < 0) return
      await untilCharged(key, 10)
      throw new Error('the statement failed')
    }
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.rest(path('JPY', 3), { key })))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array.from({ length: 9 }, () => 200), 500])
  })

  it('gets an answer if the client of the first request disconnects', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const gate = holdReads()
    const first = abortable(app, path('GBP', 4), key)
    await until(() => expect(gate.held()).toBe(1))
    const others = Array.from({ length: 5 }, () => app.rest(path('GBP', 4), { key }))
    await untilCharged(key, 6)
    first.abort()
    await first.closed
    gate.letGo()
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })

  it('gets an answer if the client of the first request disconnected before it started', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const gate = holdReads()
    const holdsRates = before
    let letGo = () => {}
    let isHeld = false
    // The request waits for the versions while its client goes away, and then for the rates.
    before = (sql) => {
      if (isHeld || !sql.includes('from dataset_state')) return holdsRates(sql)
      isHeld = true
      return new Promise((resolve) => {
        letGo = resolve
      })
    }
    app.clock.advance(1_000)
    const first = abortable(app, path('CHF', 5), key)
    await until(() => expect(isHeld).toBe(true))
    first.abort()
    await first.closed
    letGo()
    await until(() => expect(gate.held()).toBe(1))
    const next = app.rest(path('CHF', 5), { key }).then(({ status }) => status)
    await untilCharged(key, 2)
    gate.letGo()
    expect(await Promise.race([next, sleep(5_000, 'nothing')])).toBe(200)
  })

  it('does not wait for a client that reads slowly', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const asked = `/graphql?query=${encodeURIComponent(LARGE_OPERATION)}`
    let letGo = () => {}
    let isHeld = false
    before = (sql) => {
      if (isHeld || !sql.includes('from candle as c')) return
      isHeld = true
      return new Promise((resolve) => {
        letGo = resolve
      })
    }
    const slow = request(app.url + asked, { headers: headersOf(key) })
    slow.on('error', () => {})
    const begun = new Promise((resolve) => slow.on('response', (response) => resolve(response.pause())))
    slow.end()
    await until(() => expect(isHeld).toBe(true))
    const charged = (await unitsOf(key)) ?? Number.NaN
    const next = app.rest(asked, { key })
    await untilCharged(key, 2 * charged)
    letGo()
    await begun
    const first = await Promise.race([next.then(() => 'the next answer'), sleep(5_000, 'nothing')])
    slow.destroy()
    const { status, text } = await next
    expect(text.length).toBeGreaterThan(LARGE_BYTES)
    expect([first, status]).toEqual(['the next answer', 200])
  })

  it('waits for news together with other requests for the same', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const wait = (seconds: number) =>
      app.rest(`/v1/ai-analysis/changes?since=2026-11-20T12:00:01Z&wait_seconds=${seconds}`, { key })
    const order: string[] = []
    const done = (what: string) => () => void order.push(what)
    await Promise.all([wait(2).then(done('2 s')), wait(2).then(done('2 s')), wait(3).then(done('3 s'))])
    expect(order).toEqual(['2 s', '2 s', '3 s'])
  })
})

/** As fetch sends them, so that it is the same question. */
function headersOf(key: string) {
  return { 'x-api-key': key, accept: '*/*' }
}

/** A request whose client can go away; `closed` once the gateway has seen that. */
function abortable(app: TestApp, path: string, key: string) {
  const { closed } = nextRequest(path)
  const asked = request(app.url + path, { headers: headersOf(key), agent: false })
  asked.on('error', () => {})
  asked.end()
  return { abort: () => asked.destroy(), closed }
}
