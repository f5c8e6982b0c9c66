import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccountWithKey } from '../../../src/domains/access/operator.js'
import type { Usage } from '../../../src/domains/usage/model.js'
import { type CallOptions, startTestApp, type TestApp } from '../../support/app/app.js'
import { remainingOf, windowsOf } from '../../support/app/limit-headers.js'
import { quickestDatabase } from '../../support/database/database.js'

const CARD = '{ data { ticker } }'
const DRY = { 'x-dry-run': 'cost' }
const post = (body: unknown): CallOptions => ({ method: 'POST', body })
const query = (text: string): CallOptions => post({ query: text })

/** [what, path, call, status, units]: of both transports, charged or not. */
const CALLS: readonly (readonly [string, string, CallOptions, number, number])[] = [
  ['a read', '/v1/assets/bitcoin', {}, 200, 1],
  ['a list', '/v1/assets?limit=100', {}, 200, 1],
  ['a read in GraphQL', '/graphql', query(`{ asset(id: "bitcoin") ${CARD} }`), 200, 1],
  ['aliases', '/graphql', query(`{ a: assets ${CARD} b: assets ${CARD} c: assets ${CARD} }`), 200, 3],
  [
    'an edge',
    '/graphql',
    query('{ assets(limit: 41, asset_class: stock) { data { stock { isin } } } }'),
    200,
    4,
  ],
  [
    'a refused field beside a good one',
    '/graphql',
    query(`{ assets ${CARD} x: asset(id: "B!") ${CARD} }`),
    200,
    1,
  ],
  ['usage', '/v1/usage', {}, 200, 0],
  ['usage in GraphQL', '/graphql', query('{ usage { tier } }'), 200, 0],
  ['the own account', '/auth/me', {}, 200, 0],
  ['the own keys', '/auth/keys', {}, 200, 0],
  ['a key that is not there', '/auth/keys/nothing', {}, 404, 0],
  ['introspection', '/graphql', query('{ __schema { queryType { name } } }'), 200, 0],
  ['a dry run', '/v1/assets', { headers: DRY }, 200, 0],
  ['a dry run in GraphQL', '/graphql', { ...query(`{ assets ${CARD} }`), headers: DRY }, 200, 0],
  ['bad input', '/v1/assets?limit=0', {}, 422, 0],
  ['an unknown parameter', '/v1/assets?limt=5', {}, 422, 0],
  ['bad input in GraphQL', '/graphql', query(`{ assets(limit: 0) ${CARD} }`), 422, 0],
  [
    'a document that is none',
    '/graphql',
    { ...query('{'), headers: { accept: 'application/graphql-response+json' } },
    400,
    0,
  ],
  ['malformed JSON', '/auth/keys', post('{'), 400, 0],
  ['malformed JSON in GraphQL', '/graphql', post('{'), 400, 0],
  ['a ticker for a slug', '/v1/assets/BTC', {}, 404, 0],
  ['an unknown route', '/v1/asets', {}, 404, 0],
  ['a wrong method', '/v1/assets', { method: 'DELETE' }, 405, 0],
  ['a media type there is not', '/v1/assets', { headers: { accept: 'image/png' } }, 406, 0],
  [
    'a form',
    '/graphql',
    { method: 'POST', body: 'query=1', headers: { 'content-type': 'text/plain' } },
    415,
    0,
  ],
  ['a scope that is not held', '/auth/keys', post({ label: 'x', scopes: ['history:full'] }), 403, 0],
]

/** Known only once they have run: charged first, then given back. */
const GIVEN_BACK: typeof CALLS = [
  ['an asset that is not there', '/v1/assets/no-such-coin', {}, 404, 0],
  [
    'an asset that is not there in GraphQL',
    '/graphql',
    query(`{ asset(id: "no-such-coin") ${CARD} }`),
    404,
    0,
  ],
]
const ALL_CALLS = [...CALLS, ...GIVEN_BACK]

describe('the meter', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
  })
  afterAll(() => app?.close())

  const ask = (key: string, path: string, call: CallOptions = {}) =>
    app.rest<Record<string, unknown>>(path, { ...call, key })
  const usageOf = async (key: string) => (await app.rest<Usage>('/v1/usage', { key })).body
  const usedOf = async (key: string) =>
    Object.fromEntries((await usageOf(key)).policies.map(({ policy, used }) => [policy, used]))
  it.each(ALL_CALLS)(
    '%s tells the limits and is charged what it costs',
    async (_what, path, call, status, units) => {
      const key = await app.newKey({ tier: 'starter' })
      const answer = await ask(key, path, call)
      expect(answer.status).toBe(status)
      expect(windowsOf(answer)).toMatchObject([
        { policy: 'hour', remaining: 278 - units },
        { policy: 'month', remaining: 100_000 - units },
      ])
      expect(await usedOf(key)).toEqual({ hour: units, month: units })
    },
  )

  it('refunds failures of the gateway if no third party got a request', async () => {
    const key = await app.newKey({ tier: 'growth' })
    const answer = await ask(key, '/v1/onchain/56/0x00000000000000000000000000000000000000f1')
    expect(answer.status).toBe(503)
    expect(windowsOf(answer)).toMatchObject([{ remaining: 1_389 }, { remaining: 500_000 }])
    expect(await usedOf(key)).toEqual({ hour: 0, month: 0 })
  })

  it('can be read by pages of other sites, whose preflight is free', async () => {
    const origin = 'https://app.example'
    const key = await app.newKey({ tier: 'free' })
    for (const path of ['/v1/assets', '/graphql']) {
      const asked = {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-api-key',
      }
      const preflight = await app.rest(path, { method: 'OPTIONS', headers: asked })
      expect(preflight.status).toBe(204)
      expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('x-api-key')
    }
    const { headers } = await ask(key, '/v1/assets/BTC', { headers: { origin } })
    expect(['*', origin]).toContain(headers.get('access-control-allow-origin'))
    expect(headers.get('access-control-allow-credentials')).not.toBe('true')
    const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(/, ?/)
    const meterHeaders = [
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'ratelimit',
      'ratelimit-policy',
    ]
    expect(exposed).toEqual(expect.arrayContaining([...meterHeaders, 'retry-after']))
    expect(meterHeaders.filter((name) => !headers.has(name))).toEqual([])
  })

  it('never lets Remaining rise inside a window, over 130 mixed calls by key and token', async () => {
    const account = await createAccountWithKey(app.access, { tier: 'starter', label: 'mixed' })
    const token = await app.access.tokens.sign(account.account_id, app.clock.now())
    let [left, expected] = [278, 278]
    for (let call = 0; call < 130; call++) {
      // 7 has no factor in common with the number of calls, so all take their turn.
      const next = ALL_CALLS[(call * 7) % ALL_CALLS.length]
      if (!next) throw new Error('there is always a next call')
      const [, path, asked, status, units] = next
      const withToken = { ...asked, headers: { ...asked.headers, authorization: `Bearer ${token}` } }
      const answer = await (call % 3 === 0 ? app.rest(path, withToken) : ask(account.raw_key, path, asked))
      expect(answer.status).toBe(status)
      expected -= units
      const [hour, month] = windowsOf(answer)
      expect(hour?.remaining).toBeLessThanOrEqual(left)
      expect([hour?.remaining, month?.remaining]).toEqual([expected, 100_000 - 278 + expected])
      left = remainingOf(answer)
    }
    expect(left).toBeLessThan(278 - 30)
  })

  it('states in a dry run the later charge, and creates and charges nothing', async () => {
    const key = await app.newKey({ tier: 'starter' })
    for (const [what, path, call, status, units] of CALLS.filter(
      ([, , { headers }]) => headers === undefined,
    )) {
      const dry = await ask(key, path, { ...call, headers: DRY })
      const cost = dry.body.cost ?? (dry.body.extensions as { cost?: unknown } | undefined)?.cost
      // A refusal is a refusal in a dry run too; it must not read as an operation that is free.
      if (status >= 400) expect([what, dry.status]).toEqual([what, status])
      else if (!what.startsWith('a refused'))
        // GraphQL says how much of the budget of an operation it takes, too.
        expect([what, { ...(cost as object), values: 0, values_limit: 0 }]).toEqual([
          what,
          { charged: 0, remaining: 278, price: units, values: 0, values_limit: 0 },
        ])
    }
    const email = `dry@example.org`
    const register = { ...post({ email, password: 'correct horse battery' }), headers: DRY }
    expect((await app.rest('/auth/register', register)).body).toEqual({
      cost: { charged: 0, remaining: 0, price: 0 },
    })
    expect((await ask(key, '/auth/keys', { ...post({ label: 'dry' }), headers: DRY })).body).toMatchObject({
      cost: { price: 1 },
    })
    expect((await ask(key, '/auth/keys')).body.total).toBe(1)
    expect(await app.database.rows('select 1 from account where email = $1', [email])).toEqual([])
    expect(await usedOf(key)).toEqual({ hour: 0, month: 0 })
  })

  it('lists in usage the charges per day and operation, the same in REST and GraphQL', async () => {
    const key = await app.newKey({ tier: 'growth' })
    const today = app.clock.now().toISOString().slice(0, 10)
    await ask(key, '/v1/assets')
    await ask(key, '/v1/forex?quote=USD')
    await ask(key, '/v1/assets?limit=0')
    await ask(
      key,
      '/graphql',
      query(
        '{ a: assets(limit: 41, asset_class: stock) { data { stock { isin } } } b: forex(quote: "USD") { rows } }',
      ),
    )
    app.clock.advance(86_400_000)
    const tomorrow = app.clock.now().toISOString().slice(0, 10)
    await ask(key, '/v1/forex?quote=USD')
    const rest = await usageOf(key)
    expect(rest.days).toEqual([
      { date: tomorrow, operation: 'forex', units: 1, requests: 1 },
      { date: today, operation: 'assets', units: 5, requests: 2 },
      { date: today, operation: 'forex', units: 2, requests: 2 },
    ])
    const { body } = await app.graphql<{ usage: Usage }>(
      '{ usage { tier policies { policy used quota remaining reset } days { date operation units requests } } }',
      { key },
    )
    expect(body.data?.usage).toEqual(rest)
    app.clock.advance(89 * 86_400_000)
    expect((await usageOf(key)).days.map(({ date }) => date)).toEqual([tomorrow])
  })
})
