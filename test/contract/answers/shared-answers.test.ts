import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import { startTestApp, type TestApp, TestClock } from '../../support/app/app.js'
import { wasKept } from '../../support/app/kept-answers.js'
import {
  availableRedis,
  openTestDatabase,
  quickestDatabase,
  SEEDED_AT,
} from '../../support/database/database.js'
import { reviseRates, valuesOf } from '../../support/database/forex-revisions.js'

const redisUrl = availableRedis()

interface Rates {
  readonly data: readonly { readonly rate: number }[]
}

describe.skipIf(redisUrl === null).each([quickestDatabase()])(
  'gateways that share one Redis on %s',
  (kind) => {
    let clock: TestClock
    /** Two nodes on one database, and one on another whose dataset has the same version and other rates. */
    let database: Database
    let otherDatabase: Database
    let app: TestApp
    let node: TestApp
    let other: TestApp
    beforeAll(async () => {
      clock = new TestClock(SEEDED_AT)
      database = await openTestDatabase(kind, 'seeded')
      otherDatabase = await openTestDatabase(kind, 'seeded')
      await reviseRates(database, 5, clock.now())
      await reviseRates(otherDatabase, 7, clock.now())
      const env = { REDIS_URL: redisUrl ?? '' }
      app = await startTestApp(kind, { database, clock, env })
      node = await startTestApp(kind, { database, clock, env })
      other = await startTestApp(kind, { database: otherDatabase, clock, env })
    })
    afterAll(async () => {
      await Promise.all([app, node, other].map((one) => one?.close()))
      await Promise.all([database, otherDatabase].map((one) => one?.close()))
    })

    /** A question that no other run has asked. */
    const newQuestion = () =>
      `query Q${randomUUID().replaceAll('-', '')} { forex(quote: "USD") { data { rate } } }`

    async function ask(at: TestApp, key: string, query: string) {
      const answer = await at.graphql<{ forex: Rates }>(query, { key })
      const { data } = answer.body
      if (!data) throw new Error(answer.text)
      return { isKept: wasKept(at, answer), values: valuesOf(data.forex) }
    }

    it('include answers that another node on the same database computed', async () => {
      const key = await app.newKey({ tier: 'pro' })
      await vi.waitFor(
        async () => {
          const query = newQuestion()
          expect((await ask(app, key, query)).values).toEqual([5])
          expect(await ask(node, key, query)).toEqual({ isKept: true, values: [5] })
        },
        { timeout: 10_000 },
      )
    })

    it('never include answers from another database', async () => {
      const key = await app.newKey({ tier: 'pro' })
      const otherKey = await other.newKey({ tier: 'pro' })
      // As often as the nodes of one database are sure to have shared.
      for (let time = 0; time < 10; time++) {
        const query = newQuestion()
        expect((await ask(app, key, query)).values).toEqual([5])
        expect((await ask(node, key, query)).values).toEqual([5])
        expect((await ask(other, otherKey, query)).values).toEqual([7])
      }
    })
  },
)
