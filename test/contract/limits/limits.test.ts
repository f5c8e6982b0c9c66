import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccountWithKey, setContract } from '../../../src/domains/access/operator.js'
import type { Usage } from '../../../src/domains/usage/model.js'
import { BURST_PER_MINUTE } from '../../../src/policy/limits.js'
import { type Answer, type CallOptions, startTestApp, type TestApp } from '../../support/app/app.js'
import { remainingOf, waitOf, windowsOf } from '../../support/app/limit-headers.js'
import { quickestDatabase } from '../../support/database/database.js'

const CARD = '{ data { ticker } }'
const query = (text: string): CallOptions => ({ method: 'POST', body: { query: text } })

/** Asked at once: what one account or address may run at once, so that none is refused for its wait on a busy machine. */
const AT_ONCE = 20

/** Asks as often as the burst allows; the statuses that came. */
async function statusesOf(ask: (index: number) => Promise<Answer>): Promise<ReadonlySet<number>> {
  const statuses = new Set<number>()
  for (let first = 0; first < BURST_PER_MINUTE; first += AT_ONCE) {
    const some = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => ask(first + index)))
    for (const { status } of some) statuses.add(status)
  }
  return statuses
}

describe('limits', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { env: { TRUST_PROXY: 'true' } })
  })
  afterAll(() => app?.close())

  const ask = (key: string, path: string, call: CallOptions = {}) =>
    app.rest<Record<string, unknown>>(path, { ...call, key })
  const usageOf = async (key: string) => (await app.rest<Usage>('/v1/usage', { key })).body
  const usedOf = async (key: string) =>
    Object.fromEntries((await usageOf(key)).policies.map(({ policy, used }) => [policy, used]))
  async function contractKey(hour: number, month: number): Promise<string> {
    const made = await createAccountWithKey(app.access, { tier: 'enterprise', label: 'contract' })
    await setContract(app.access, made.account_id, { hour, month })
    return made.raw_key
  }

  it('refuse for the month when its quota is spent, also in the next hour, until the next month', async () => {
    const key = await contractKey(100, 3)
    for (const left of [2, 1, 0]) expect(remainingOf(await ask(key, '/v1/assets'))).toBe(left)
    app.clock.advance(3_600_000)
    const refused = await ask(key, '/v1/assets')
    expect([refused.status, refused.body.error]).toEqual([429, 'rate_limit_exceeded'])
    expect(windowsOf(refused)).toMatchObject([{ remaining: 100 }, { remaining: 0 }])
    expect(refused.body.retry_after).toBe(Date.parse('2026-12-01T00:00:00Z') / 1000)
    app.clock.advance((waitOf(refused) - 1) * 1000)
    expect((await ask(key, '/v1/assets')).status).toBe(429)
    app.clock.advance(1000)
    expect((await ask(key, '/v1/assets')).status).toBe(200)
  })

  it('refuse for the hour in REST and GraphQL, and the next call after Retry-After succeeds', async () => {
    const key = await contractKey(2, 100)
    await ask(key, '/v1/assets')
    await ask(key, '/graphql', query(`{ assets ${CARD} }`))
    const rest = await ask(key, '/v1/assets')
    const graphql = await ask(key, '/graphql', query(`{ assets ${CARD} }`))
    expect([rest.status, graphql.status]).toEqual([429, 429])
    expect([waitOf(graphql), rest.body.retry_after]).toEqual([
      waitOf(rest),
      Number(rest.headers.get('x-ratelimit-reset')),
    ])
    expect((await ask(key, '/v1/usage')).status).toBe(200)
    app.clock.advance(waitOf(rest) * 1000)
    expect(remainingOf(await ask(key, '/v1/assets'))).toBe(1)
  })

  it('refuse discover after 50 a day on the free tier over both transports; other reads go on', async () => {
    const key = await app.newKey({ tier: 'free' })
    const discover = (call: number) =>
      call % 2 === 0
        ? ask(key, '/v1/discover/AAPL')
        : ask(key, '/graphql', query('{ discover(ticker: "AAPL") { figi } }'))
    for (let call = 0; call < 50; call++) {
      if (call > 0 && call % 14 === 0) app.clock.advance(3_600_000)
      const answer = await discover(call)
      expect(answer.status).toBe(200)
      expect(windowsOf(answer)[2]).toMatchObject({ policy: 'discover_day', remaining: 49 - call })
    }
    const refused = [await discover(0), await discover(1)] as const
    expect(refused.map(({ status }) => status)).toEqual([429, 429])
    expect(refused[0]?.body.message).toMatch(/Daily limit of discover of 50 units reached/)
    expect(await usedOf(key)).toEqual({ hour: 8, month: 50, discover_day: 50 })
    expect(remainingOf(await ask(key, '/v1/assets'))).toBe(5)
    app.clock.advance(waitOf(refused[0]) * 1000)
    expect(windowsOf(await discover(0))).toMatchObject([
      { remaining: 13 },
      { remaining: 9_948 },
      { remaining: 49 },
    ])
  })

  it('refuse an operation that costs more than is left without a charge; a cheaper one passes', async () => {
    const key = await contractKey(5, 100)
    const assets = (count: number) =>
      query(`{ ${Array.from({ length: count }, (_, index) => `a${index}: assets ${CARD}`).join(' ')} }`)
    expect((await ask(key, '/graphql', assets(2))).body.extensions).toEqual({
      cost: { charged: 2, remaining: 3, values: expect.any(Number) },
    })
    const dear = await ask(key, '/graphql', assets(4))
    expect([dear.status, dear.body.data, remainingOf(dear)]).toEqual([429, undefined, 3])
    expect(waitOf(dear)).toBeGreaterThan(0)
    expect(await usedOf(key)).toEqual({ hour: 2, month: 2 })
    const never = await ask(key, '/graphql', assets(6))
    expect([never.status, never.headers.get('retry-after')]).toEqual([429, null])
    expect((await ask(key, '/graphql', assets(3))).body.extensions).toEqual({
      cost: { charged: 3, remaining: 0, values: expect.any(Number) },
    })
    expect(await usedOf(key)).toEqual({ hour: 5, month: 5 })
  })

  it('bound free calls: 600 a minute and key from anywhere, then 429 until the minute ends', async () => {
    const key = await app.newKey({ tier: 'free' })
    app.clock.advance(60_000)
    let call = 0
    const from = () => {
      call += 1
      return { headers: { 'x-forwarded-for': `10.0.${call >> 8}.${call & 255}` } }
    }
    const statuses = await statusesOf(() => ask(key, '/auth/me', from()))
    expect(statuses).toEqual(new Set([200]))
    const refused = [
      await ask(key, '/auth/me', from()),
      await ask(key, '/graphql', { ...query('{ me { id } }'), ...from() }),
    ] as const
    for (const answer of refused) expect([answer.status, remainingOf(answer)]).toEqual([429, 0])
    app.clock.advance(waitOf(refused[0]) * 1000)
    expect((await ask(key, '/auth/me', from())).status).toBe(200)
  })

  it('bound guessing of keys per address', async () => {
    app.clock.advance(60_000)
    const guess = () =>
      app.rest('/v1/assets', { key: 'nonsense', headers: { 'x-forwarded-for': '198.51.100.3' } })
    expect(await statusesOf(guess)).toEqual(new Set([401]))
    expect((await guess()).status).toBe(429)
  })

  it('bound calls without a key per address', async () => {
    app.clock.advance(60_000)
    const from = (address: string) => ({ method: 'POST', body: {}, headers: { 'x-forwarded-for': address } })
    const login = () => app.rest('/auth/login', from('198.51.100.1'))
    expect(await statusesOf(login)).toEqual(new Set([422]))
    const refused = await login()
    expect([refused.status, waitOf(refused)]).toEqual([429, 60])
    expect((await app.rest('/auth/login', from('198.51.100.2'))).status).toBe(422)
  })

  it('treat all spellings of an address, and a /64 of IPv6, as one address', async () => {
    app.clock.advance(60_000)
    const ask = (address: string) => app.rest('/auth/me', { headers: { 'x-forwarded-for': address } })
    const spelled = (index: number) => ask(index % 2 === 0 ? '198.51.100.9:4711' : '::FFFF:198.51.100.9')
    expect(await statusesOf(spelled)).toEqual(new Set([401]))
    expect((await ask('198.51.100.9')).status).toBe(429)
    expect(await statusesOf((index) => ask(`2001:db8:0:7::${index}`))).toEqual(new Set([401]))
    expect((await ask('[2001:DB8::7:ffff:0:0:1]:443')).status).toBe(429)
    expect((await ask('2001:db8:0:8::1')).status).toBe(401)
  })
})
