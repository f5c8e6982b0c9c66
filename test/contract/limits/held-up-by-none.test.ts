import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { wasKept } from '../../support/app/kept-answers.js'
import { LARGE_BYTES, LARGE_OPERATION } from '../../support/app/large-operation.js'
import { nextRequest } from '../../support/app/next-request.js'
import { openTestDatabase, quickestDatabase } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'
import { eventually } from '../../support/eventually.js'

/** Far longer than an answer takes, far shorter than the client that holds it up stays. */
const DEADLINE_MS = 20_000

const RATES = 'from forex_rate as f'

let app: TestApp
let database: Database
let before: (sql: string) => void | Promise<void> = () => {}
const sockets: Socket[] = []
beforeAll(async () => {
  database = await openTestDatabase(quickestDatabase(), 'seeded')
  app = await startTestApp(quickestDatabase(), { database: interposed(database, (sql) => before(sql)) })
})
afterEach(() => {
  before = () => {}
  for (const socket of sockets.splice(0)) socket.destroy()
})
afterAll(async () => {
  await app?.close()
  await database?.close()
})

/** Sends requests one after the other on one connection, and reads nothing of what comes. */
async function pipeline(key: string, ...targets: readonly string[]): Promise<Socket> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  const fields = ['Host: localhost', `X-API-Key: ${key}`, 'Accept: */*', '', '']
  socket.write(targets.map((target) => [`GET ${target} HTTP/1.1`, ...fields].join('\r\n')).join(''))
  return socket
}

/** The answer, or 'nothing' where none comes: as fetch asks, so that it is the same request. */
async function within<T>(answer: Promise<T>): Promise<T | 'nothing'> {
  return Promise.race([answer, sleep(DEADLINE_MS, 'nothing' as const)])
}

const inUrl = (query: string) => `/graphql?query=${encodeURIComponent(query)}`
/** What a key was charged in this hour, by requests under way too. */
async function usedOf(key: string): Promise<number | undefined> {
  const { body } = await app.rest<{ policies: readonly { used: number }[] }>('/v1/usage', { key })
  return body.policies[0]?.used
}

/** Resolves once the log has a request by this path that was not there before. */
async function logged(path: string, count: number): Promise<void> {
  await vi.waitFor(
    () =>
      expect(app.logLines.filter((line) => line.includes(`"path":"${path}"`)).length).toBeGreaterThan(count),
    { timeout: DEADLINE_MS },
  )
}

describe('a request for an answer that is being computed', () => {
  it('is tested with an answer larger than two socket buffers', async () => {
    const key = await app.newKey({ tier: 'enterprise' })
    const { status, text } = await app.rest(inUrl(LARGE_OPERATION), { key })
    expect([status, text.length > LARGE_BYTES]).toEqual([200, true])
  })

  it.each([
    ['a response', '/v1/forex?quote=USD', 200],
    ['a 404', '/v1/assets/no-such-coin', 404],
    ['a 422', '/v1/assets?limit=0', 422],
    ['their own account', inUrl('{ me { id } }'), 200],
  ])(
    'is not held up when that waits behind a large answer that is never read: %s',
    async (_what, path, status) => {
      const [one, other] = [await app.newKey({ tier: 'enterprise' }), await app.newKey({ tier: 'pro' })]
      const seen = app.logLines.filter((line) => line.includes('"path":"/graphql"')).length
      const socket = await pipeline(one, inUrl(LARGE_OPERATION), path)
      socket.pause()
      await logged('/graphql', seen)
      const answer = await within(app.rest(path, { key: other }))
      expect(answer).toMatchObject({ status })
    },
  )

  it('is not delayed if the first one waits behind a long poll', async () => {
    const [one, other] = [await app.newKey({ tier: 'pro' }), await app.newKey({ tier: 'pro' })]
    const path = '/v1/forex?quote=JPY'
    const { received } = nextRequest(path)
    await pipeline(one, '/v1/ai-analysis/changes?since=2026-11-20T12:00:01Z&wait_seconds=30', path)
    await received
    expect(await within(app.rest(path, { key: other }))).toMatchObject({ status: 200 })
  })

  it('is refused at once for a spent quota, while the first is still computed', async () => {
    const [one, spent] = [await app.newKey({ tier: 'free' }), await app.newKey({ tier: 'free' })]
    for (let call = 0; call < 14; call++) await app.rest('/v1/assets/bitcoin', { key: spent })
    let letGo = () => {}
    const held = new Promise<void>((isHeld) => {
      before = (sql) => {
        if (!sql.includes(RATES)) return
        isHeld()
        return new Promise((resolve) => {
          letGo = resolve
        })
      }
    })
    const path = '/v1/forex?quote=CHF'
    const first = app.rest(path, { key: one })
    await held
    expect(await within(app.rest(path, { key: spent }))).toMatchObject({ status: 429 })
    before = () => {}
    letGo()
    expect((await first).status).toBe(200)
  })

  it('computes the answer alone if the first takes too long, and both are answered', async () => {
    const [one, other] = [await app.newKey({ tier: 'pro' }), await app.newKey({ tier: 'pro' })]
    let letGo = () => {}
    let isFirst = true
    before = (sql) => {
      if (!sql.includes(RATES) || !isFirst) return
      isFirst = false
      return new Promise((resolve) => {
        letGo = resolve
      })
    }
    const path = '/v1/forex?quote=SEK'
    const first = app.rest(path, { key: one })
    await eventually(() => expect(isFirst).toBe(false))
    const second = await within(app.rest(path, { key: other }))
    expect(second).toMatchObject({ status: 200 })
    letGo()
    expect((await first).status).toBe(200)
  })

  it('computes the answer if the first fails, each charged only for its own answer', async () => {
    const keys = [await app.newKey({ tier: 'pro' }), await app.newKey({ tier: 'pro' })]
    let letFail = () => {}
    let isFirst = true
    before = async (sql) => {
      if (!sql.includes(RATES) || !isFirst) return
      isFirst = false
      await new Promise<void>((resolve) => {
        letFail = resolve
      })
      throw new Error('the statement failed')
    }
    const path = '/v1/forex?quote=NOK'
    const first = app.rest(path, { key: keys[0] ?? '' })
    await eventually(() => expect(isFirst).toBe(false))
    const second = app.rest(path, { key: keys[1] ?? '' })
    // It is charged before it waits for the first one.
    await eventually(async () => expect(await usedOf(keys[1] ?? '')).toBe(1))
    letFail()
    const statuses = [(await first).status, (await second).status]
    expect(statuses).toEqual([500, 200])
    expect(await Promise.all(keys.map(usedOf))).toEqual([0, 1])
  })
})

describe('refusals and answers about one account', () => {
  it.each([
    ['their own account', inUrl('{ me { id } }'), 200],
    ['a 404', '/v1/assets/no-such-coin', 404],
    ['a 422', '/v1/assets?limit=0', 422],
  ])('are never shared, however many simultaneous requests arrive: %s', async (_what, path, status) => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => app.newKey({ tier: 'pro' })))
    const answers = await Promise.all([...keys, ...keys].map((key) => app.rest(path, { key })))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status]))
    expect(answers.some((answer) => wasKept(app, answer))).toBe(false)
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    expect(new Set(ids).size).toBe(answers.length)
    if (status !== 200) return
    expect(new Set(answers.map(({ text }) => JSON.stringify(JSON.parse(text).data))).size).toBe(keys.length)
  })
})
