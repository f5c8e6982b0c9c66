import { afterEach, expect, it } from 'vitest'
import { MAX_STREAMS_PER_ACCOUNT } from '../../../../src/gateway/graphql/stream/streams.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import { availableDatabases, availableRedis, openTestDatabase } from '../../../support/database/database.js'
import { openEventStream } from '../../../support/peers/event-stream.js'

const STORES = [
  ...(availableDatabases().includes('postgres') ? [['PostgreSQL', {}] as const] : []),
  ...(availableRedis() === null ? [] : [['Redis', { REDIS_URL: availableRedis() ?? '' }] as const]),
]

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

it.skipIf(!availableDatabases().includes('postgres')).each(STORES)(
  'an account has ten subscriptions over two processes that share %s, and another one has its own',
  async (_, env) => {
    const database = await openTestDatabase('postgres', 'seeded')
    closing.push(() => database.close())
    const start = async () => {
      const app = await startTestApp('postgres', { database, env })
      closing.push(() => app.close())
      return app
    }
    const [one, other] = [await start(), await start()]
    const key = await one.newKey({ tier: 'pro' })
    const open = async ({ url }: TestApp, by = key) => {
      const { response, kill } = await openEventStream(url, 'subscription { forex { cursor } }', by)
      if (response.status === 200) closing.push(kill)
      return { status: response.status, body: response.status === 200 ? null : await response.json(), kill }
    }
    const opened = []
    for (let stream = 0; stream < MAX_STREAMS_PER_ACCOUNT; stream++)
      opened.push(await open(stream % 2 === 0 ? one : other))
    expect(opened.map(({ status }) => status)).toEqual(opened.map(() => 200))
    for (const app of [one, other]) {
      const refused = await open(app)
      expect(refused.status).toBe(429)
      expect(refused.body).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMIT_EXCEEDED' } }] })
    }
    expect((await open(other, await one.newKey({ tier: 'pro' }))).status).toBe(200)
    opened[0]?.kill()
    await expect.poll(async () => (await open(other)).status).toBe(200)
    expect((await open(one)).status).toBe(429)
  },
)
