import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addDays, toIsoDate } from '../../../src/core/time.js'
import type { Database } from '../../../src/platform/database/database.js'
import { type Answer, startTestApp, type TestApp } from '../../support/app/app.js'
import { openTestDatabase, quickestDatabase, SEEDED_AT } from '../../support/database/database.js'
import { interposed } from '../../support/database/interposed-database.js'

const RATES = 'from forex_rate as f'
/** Requests of one account that run at once. */
const RUNNING = 24
/** How long the database lets the first ones wait: what comes later expects the same. */
const SLOW_MS = 1_500
/** Of many that come at once; the rest runs or waits, up to 2 s. */
const REFUSED = 20

describe('a database so slow that requests would wait for a long time', () => {
  let app: TestApp
  let database: Database
  let key: string
  let answered: Promise<void> | undefined
  beforeAll(async () => {
    database = await openTestDatabase(quickestDatabase(), 'seeded')
    const slow = interposed(database, (sql) => (sql.includes(RATES) ? answered : undefined))
    // Behind a proxy an address may have more than a hundred connections.
    const env = { BURST_PER_MINUTE: '10000', TRUST_PROXY: 'true' }
    app = await startTestApp(quickestDatabase(), { database: slow, env })
    key = await app.newKey({ tier: 'enterprise' })
  })
  afterAll(async () => {
    await app?.close()
    await database?.close()
  })

  const ask = (daysAgo: number) => {
    const to = addDays(toIsoDate(SEEDED_AT), -daysAgo)
    return app.rest<{ message?: string }>(`/v1/forex?quote=USD&from=${addDays(to, -7)}&to=${to}`, { key })
  }
  const used = async () => {
    const { body } = await app.rest<{ policies: readonly { used: number }[] }>('/v1/usage', { key })
    return body.policies[0]?.used ?? 0
  }

  it('refuses new requests at once with a free 503; cached answers and health checks go on', async () => {
    const warm = await ask(1)
    const price = await used()
    expect([warm.status, price > 0]).toEqual([200, true])
    answered = sleep(SLOW_MS)
    const statuses = await Promise.all(Array.from({ length: RUNNING }, (_, at) => ask(2 + at)))
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]))

    let letGo = () => {}
    answered = new Promise((resolve) => {
      letGo = resolve
    })
    const answers: Answer<{ message?: string }>[] = []
    const asked = Array.from({ length: 100 }, (_, at) => ask(100 + at).then((answer) => answers.push(answer)))
    await expect.poll(() => answers.length, { timeout: 1_500 }).toBeGreaterThan(REFUSED)
    // None of those that run has an answer yet.
    for (const { status, headers, body } of answers) {
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
      expect(body.message).toBe('Too many requests are waiting; try again shortly.')
    }
    expect((await ask(1)).status).toBe(200)
    expect((await app.rest('/healthz')).status).toBe(200)
    letGo()
    await Promise.all(asked)
    const served = answers.filter(({ status }) => status === 200)
    expect(served.length).toBeGreaterThanOrEqual(RUNNING)
    expect(await used()).toBe(price * (1 + RUNNING + 1 + served.length))
  })

  it('refuses for free what waited for an answer that failed, and would have to wait again', async () => {
    const before = await used()
    await ask(300)
    const price = (await used()) - before
    let fail = (_: Error) => {}
    answered = new Promise((_, reject) => {
      fail = reject
    })
    const answers: Answer[] = []
    const asked: Promise<unknown>[] = []
    for (let at = 0; at < 100; at += 1) {
      asked.push(ask(400).then((answer) => answers.push(answer)))
      await sleep(5)
    }
    await expect.poll(used).toBe(before + 101 * price)
    let letGo = () => {}
    answered = new Promise((resolve) => {
      letGo = resolve
    })
    fail(new Error('the database is lost'))
    await expect.poll(() => answers.length).toBeGreaterThan(REFUSED)
    letGo()
    await Promise.all(asked)
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(REFUSED)
    expect(await used()).toBe(before + price * (1 + statuses.filter((status) => status === 200).length))
  })
})
