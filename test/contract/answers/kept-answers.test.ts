import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccountWithKey } from '../../../src/domains/access/operator.js'
import type { Usage } from '../../../src/domains/usage/model.js'
import {
  type Answer,
  type CallOptions,
  type GraphQLAnswer,
  startTestApp,
  type TestApp,
} from '../../support/app/app.js'
import { asKept, lastingHeaders, wasKept } from '../../support/app/kept-answers.js'
import { remainingOf, windowsOf } from '../../support/app/limit-headers.js'
import { quickestDatabase } from '../../support/database/database.js'

const NESTED = `{ assets(limit: 2, asset_class: crypto) {
  data { ticker price_consensus_usd supply { value } ohlcv(limit: 3) { rows }
    ai_analysis_latest { snapshot_id _meta { data_freshness_seconds } } }
  meta { cache_hit total } _meta { data_freshness_seconds freshness_status } } }`
const TWO_ROOTS =
  '{ a: forex(quote: "USD") { rows _meta { data_freshness_seconds } } assets(limit: 1) { meta { cache_hit } } }'
const post = (query: string, variables?: object): CallOptions => ({
  method: 'POST',
  body: { query, variables },
})
const inUrl = (query: string) => `/graphql?query=${encodeURIComponent(query)}`

/** [what, path, call, units]: everything that may be kept is asked one of these ways. */
const QUESTIONS: readonly (readonly [string, string, CallOptions, number])[] = [
  ['a page of a list', '/v1/assets?limit=2&offset=4', {}, 1],
  ['one asset', '/v1/assets/bitcoin', {}, 1],
  ['candles', '/v1/assets/bitcoin/ohlcv?limit=5', {}, 1],
  ['exchange rates', '/v1/forex?quote=USD', {}, 1],
  ['an analysis', '/v1/assets/bitcoin/ai-analysis/latest', {}, 1],
  ['an operation', '/graphql', post(NESTED), 3],
  [
    'an operation with variables',
    '/graphql',
    post('query ($q: String!) { forex(quote: $q) { rows } }', { q: 'JPY' }),
    1,
  ],
  ['an operation in the URL', inUrl(NESTED), {}, 3],
  ['several root fields', '/graphql', post(TWO_ROOTS), 2],
  [
    'an operation for clients of the newer type',
    '/graphql',
    { ...post(NESTED), headers: { accept: 'application/graphql-response+json' } },
    3,
  ],
]

const costOf = ({ body }: Answer) => (body as GraphQLAnswer<unknown>).extensions?.cost

describe.each([quickestDatabase()])('a cached answer on %s', (kind) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(kind)
  })
  afterAll(() => app?.close())

  const ask = (key: string | null, path: string, call: CallOptions = {}) => app.rest(path, { ...call, key })

  /** Asks until the answer is kept; the answer before is the one that was made. */
  async function keep(path: string, call: CallOptions = {}, tier: 'pro' | 'free' = 'pro'): Promise<Answer> {
    const key = await app.newKey({ tier })
    const first = await ask(key, path, call)
    expect(first.status).toBe(200)
    expect(wasKept(app, await ask(key, path, call))).toBe(true)
    return first
  }

  it.each(QUESTIONS)(
    'to %s is the one that was made, and is charged the same',
    async (_what, path, call, units) => {
      const key = await app.newKey({ tier: 'pro' })
      const first = await ask(key, path, call)
      const second = await ask(key, path, call)
      expect([first, second].map((answer) => [answer.status, wasKept(app, answer)])).toEqual([
        [200, false],
        [200, true],
      ])
      expect(lastingHeaders(second)).toEqual(lastingHeaders(first))
      const cost = costOf(first)
      if (cost === undefined) expect(second.text).toBe(asKept(first.text))
      else {
        const { values } = cost
        expect(cost).toEqual({ charged: units, remaining: 13_889 - units, values: expect.any(Number) })
        const costText = (charged: number, remaining: number) =>
          JSON.stringify({ charged, remaining, values })
        const expected = asKept(first.text).replace(
          costText(units, 13_889 - units),
          costText(units, 13_889 - 2 * units),
        )
        expect(second.text).toBe(expected)
      }
      expect(windowsOf(second)).toMatchObject([
        { policy: 'hour', remaining: 13_889 - 2 * units },
        { policy: 'month', remaining: 5_000_000 - 2 * units },
      ])
      const { body } = await app.rest<Usage>('/v1/usage', { key })
      expect(body.policies[0]).toMatchObject({ policy: 'hour', used: 2 * units })
      expect(body.days.reduce((sum, day) => sum + day.units, 0)).toBe(2 * units)
      expect(body.days.every(({ requests }) => requests === 2)).toBe(true)
    },
  )

  it('costs only the statement of the meter', async () => {
    await keep('/v1/assets?limit=7')
    const key = await app.newKey({ tier: 'pro' })
    await ask(key, '/v1/assets?limit=7')
    const counts: number[] = []
    // The fewest of several: what the process writes in the background is counted as well.
    for (let run = 0; run < 5; run++) {
      const before = app.database.statementCount()
      expect((await ask(key, '/v1/assets?limit=7')).status).toBe(200)
      counts.push(app.database.statementCount() - before)
    }
    expect(Math.min(...counts)).toBeLessThanOrEqual(1)
  })

  it('is sent to another account with its own limits, by key and by token', async () => {
    const first = await keep('/v1/forex?quote=SEK')
    const account = await createAccountWithKey(app.access, { tier: 'pro', label: 'other' })
    const token = await app.access.tokens.sign(account.account_id, app.clock.now())
    const byKey = await ask(account.raw_key, '/v1/forex?quote=SEK')
    const byToken = await ask(null, '/v1/forex?quote=SEK', { headers: { authorization: `Bearer ${token}` } })
    expect(
      [byKey, byToken].map((answer) => [wasKept(app, answer), answer.text, remainingOf(answer)]),
    ).toEqual([
      [true, first.text, 13_888],
      [true, first.text, 13_887],
    ])
  })

  it('is sent to HEAD without a body, with the headers of GET', async () => {
    await keep('/v1/assets?limit=9')
    const key = await app.newKey({ tier: 'pro' })
    const get = await ask(key, '/v1/assets?limit=9')
    const head = await ask(key, '/v1/assets?limit=9', { method: 'HEAD' })
    expect([head.status, head.text, remainingOf(head)]).toEqual([200, '', remainingOf(get) - 1])
    expect(lastingHeaders(head)).toEqual(lastingHeaders(get))
    // Compressed, its length is not known without compressing it.
    expect(head.headers.get('content-length')).toBeNull()
    const plain = { method: 'HEAD', headers: { 'accept-encoding': 'identity' } }
    const length = (await ask(key, '/v1/assets?limit=9', plain)).headers.get('content-length')
    expect(length).toBe(String(Buffer.byteLength(get.text)))
  })

  it('computed for HEAD is sent to GET with its body', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const head = await ask(key, '/v1/assets?limit=11', { method: 'HEAD' })
    const get = await ask(key, '/v1/assets?limit=11')
    expect([head, get].map(({ status, text }) => [status, text.length > 0])).toEqual([
      [200, false],
      [200, true],
    ])
    expect((get.body as { data: unknown[] }).data).toHaveLength(11)
  })

  it('is not sent to an invalid request: a body that is not JSON', async () => {
    const query = '{ assets(limit: 12) { data { ticker } } }'
    await keep('/graphql', post(query))
    const key = await app.newKey({ tier: 'pro' })
    const type = { 'content-type': 'application/jsonlines' }
    const other = await ask(key, '/graphql', { ...post(query), headers: type })
    expect([other.status, remainingOf(other)]).toEqual([415, 13_889])
  })

  it('is sent to HEAD of an operation as well', async () => {
    const query = '{ assets(limit: 12) { data { ticker } } }'
    await keep(inUrl(query))
    const key = await app.newKey({ tier: 'pro' })
    const head = await ask(key, inUrl(query), { method: 'HEAD' })
    expect([head.status, head.text, wasKept(app, head), remainingOf(head)]).toEqual([200, '', true, 13_888])
  })

  it.each(['/v1/assets?limit=13', inUrl('{ assets(limit: 13) { data { ticker } } }')])(
    'can be read by pages of other sites just as the one that was made: %s',
    async (path) => {
      const headers = { origin: 'https://app.example' }
      const key = await app.newKey({ tier: 'pro' })
      const [made, kept, without] = [
        await ask(key, path, { headers }),
        await ask(key, path, { headers }),
        await ask(key, path),
      ]
      expect([made, kept, without].map((answer) => wasKept(app, answer))).toEqual([false, true, true])
      expect(lastingHeaders(kept)).toEqual(lastingHeaders(made))
      expect(kept.headers.get('access-control-allow-origin')).toBe('https://app.example')
      expect(kept.headers.get('vary')).toBe(
        'Accept, X-API-Key, Authorization, Accept-Encoding, Prefer, Origin',
      )
      expect(without.headers.get('access-control-allow-origin')).toBeNull()
      expect(without.headers.get('vary')).toBe('Accept, X-API-Key, Authorization, Accept-Encoding, Prefer')
    },
  )

  it('has the request id of the caller, or a new one', async () => {
    await keep('/v1/forex?quote=NOK')
    const key = await app.newKey({ tier: 'pro' })
    const given = await ask(key, '/v1/forex?quote=NOK', { headers: { 'x-request-id': 'given-by-caller' } })
    const harmful = await ask(key, '/v1/forex?quote=NOK', { headers: { 'x-request-id': '<b>' } })
    expect(given.headers.get('x-request-id')).toBe('given-by-caller')
    expect(harmful.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('is refused to a revoked key and to a caller without a key', async () => {
    await keep('/v1/forex?quote=DKK')
    const account = await createAccountWithKey(app.access, { tier: 'pro', label: 'doomed' })
    const key = account.raw_key
    expect(wasKept(app, await ask(key, '/v1/forex?quote=DKK'))).toBe(true)
    expect((await ask(key, `/auth/keys/${account.key_id}`, { method: 'DELETE' })).status).toBe(204)
    const refused = [await ask(key, '/v1/forex?quote=DKK'), await ask(null, '/v1/forex?quote=DKK')]
    expect(refused.map(({ status, body }) => [status, (body as { error: string }).error])).toEqual([
      [401, 'unauthorized'],
      [401, 'unauthorized'],
    ])
  })

  it('is refused when the quota is used up, and sent again in the next hour', async () => {
    await keep('/v1/forex?quote=PLN', {}, 'free')
    const key = await app.newKey({ tier: 'free' })
    const statuses: number[] = []
    for (let call = 0; call < 14; call++) statuses.push((await ask(key, '/v1/forex?quote=PLN')).status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    const refused = await ask(key, '/v1/forex?quote=PLN')
    expect([refused.status, remainingOf(refused)]).toEqual([429, 0])
    expect(refused.headers.get('retry-after')).toBe('3600')
    expect(refused.body).toMatchObject({ error: 'rate_limit_exceeded', retry_after: expect.any(Number) })
    const operation = await ask(key, '/graphql', post('{ forex(quote: "PLN") { rows } }'))
    expect(operation.body).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMIT_EXCEEDED' } }] })
    app.clock.advance(3_600_000)
    const again = await ask(key, '/v1/forex?quote=PLN')
    expect([again.status, remainingOf(again)]).toEqual([200, 13])
  })

  it('is not sent to a dry run, which states the price and charges nothing', async () => {
    await keep('/v1/forex?quote=CZK')
    await keep('/graphql', post(NESTED))
    const key = await app.newKey({ tier: 'pro' })
    const headers = { 'x-dry-run': 'cost' }
    const rest = await ask(key, '/v1/forex?quote=CZK', { headers })
    const graphql = await ask(key, '/graphql', { ...post(NESTED), headers })
    expect(rest.body).toEqual({ cost: { charged: 0, remaining: 13_889, price: 1 } })
    expect(graphql.body).toEqual({
      data: null,
      extensions: { cost: { charged: 0, remaining: 13_889, price: 3, values: 34, values_limit: 200_000 } },
    })
  })
})
