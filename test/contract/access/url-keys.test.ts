import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccountWithKey } from '../../../src/domains/access/operator.js'
import { makeApiKey } from '../../../src/platform/secrets/api-key-format.js'
import { COMPAT_INTERFACES } from '../../../src/policy/compat-interfaces.js'
import { type CallOptions, startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

const DAY = '/compat/frankfurter/v1/2026-11-18?symbols=USD'
const RATES = '/v1/forex?quote=USD&from=2026-11-18'

let app: TestApp
/** An ordinary key of the account. */
let key: string
let token: string
/** A key that reads Frankfurter, and one that reads two operations. */
let forInterface: string
let forOperations: string
beforeAll(async () => {
  // The settings need some key; the demo key of the test replaces it.
  const env = { COMPAT_OPEN: 'frankfurter', DEMO_KEY: makeApiKey('test', randomBytes) }
  app = await startTestApp(quickestDatabase(), { hasDemoKey: true, env })
  const account = await createAccountWithKey(app.access, { tier: 'pro', label: 'test' })
  key = account.raw_key
  token = await app.access.tokens.sign(account.account_id, app.clock.now())
  forInterface = await make({ interfaces: ['frankfurter'], hourly_units: 100 })
  forOperations = await make({ operations: ['forex', 'datasets'], hourly_units: 100 })
})
afterAll(() => app?.close())

interface Created {
  readonly key_id: string
  readonly raw_key: string
}

const create = (url_use: object, options: CallOptions = { key }) =>
  app.rest<Created>('/auth/keys', { method: 'POST', body: { label: 'address', url_use }, ...options })
const make = async (url_use: object) => (await create(url_use)).body.raw_key

/** The address with a key. */
const withToken = (path: string, secret: string) => `${path}${path.includes('?') ? '&' : '?'}token=${secret}`
const statusOf = async (path: string, options: CallOptions = {}) => (await app.rest(path, options)).status

describe('a key for addresses', () => {
  it('reads what it is for, as a parameter, as a header and as a bearer', async () => {
    expect(await statusOf(withToken(DAY, forInterface))).toBe(200)
    for (const path of [RATES, '/v1/forex.csv?quote=USD&from=2026-11-18', '/v1/forex?quote=USD'])
      expect([path, await statusOf(withToken(path, forOperations))]).toEqual([path, 200])
    expect(await statusOf(withToken('/v1/forex?quote=USD', forOperations), { method: 'HEAD' })).toBe(200)
    expect(await statusOf(RATES, { key: forOperations })).toBe(200)
    expect(await statusOf(RATES, { headers: { authorization: `Bearer ${forOperations}` } })).toBe(200)
    // The first parameter, before others.
    expect(await statusOf(`/v1/forex?token=${forOperations}&quote=USD`)).toBe(200)
  })

  it('is listed with what it reads', async () => {
    const { body } = await app.rest<{ keys: readonly { url_use: unknown }[] }>('/auth/keys', { key })
    expect(body.keys.map(({ url_use }) => url_use)).toEqual(
      expect.arrayContaining([
        null,
        { operations: [], interfaces: ['frankfurter'], hourly_units: 100 },
        { operations: ['forex', 'datasets'], interfaces: [], hourly_units: 100 },
      ]),
    )
  })

  describe('is refused everywhere else', () => {
    it.each<readonly [string, string, CallOptions, number]>([
      ['another operation', '/v1/assets', {}, 403],
      ['an operation of accounts', '/auth/keys', {}, 403],
      ['its own account', '/auth/me', {}, 403],
      ['its usage', '/v1/usage', {}, 403],
      ['a new key', '/auth/keys', { method: 'POST', body: { label: 'next' } }, 403],
      ['its own end', '/auth/keys/3f2b8c1e-5d4a-4b6f-9a7e-2c1d0e9f8a7b', { method: 'DELETE' }, 403],
      ['GraphQL by GET', '/graphql?query={forex(quote:"USD"){rows}}', {}, 403],
      ['GraphQL', '/graphql', { method: 'POST', body: { query: '{ forex(quote: "USD") { rows } }' } }, 403],
      ['another compatible interface', '/compat/other/v1/latest', {}, 404],
      ['an interface that it is not for', DAY, {}, 403],
      ['a file of a release', '/v1/releases/forex/2026-11-20/files/x.parquet', {}, 403],
      ['an unknown route', '/v1/nothing', {}, 403],
    ])('%s', async (_what, path, options, status) => {
      const inQuery = await app.rest<{ message?: string }>(withToken(path, forOperations), options)
      expect(inQuery.status).toBe(status)
      expect(inQuery.text).not.toContain(forOperations)
      expect(await statusOf(path, { ...options, key: forOperations })).toBe(status)
    })

    it('an interface key at the operation that it translates to', async () => {
      const { status, body } = await app.rest<{ message: string }>(
        withToken('/v1/forex/cross?base=USD', forInterface),
      )
      expect([status, body.message]).toEqual([
        403,
        'This is a key for addresses, which reads only: /compat/frankfurter. Send another key.',
      ])
    })

    it('pages and sites', async () => {
      const { body } = await app.rest<object>(withToken('/readyz', forOperations))
      expect(body).not.toHaveProperty('details')
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
      const agent = await app.rest(withToken('/mcp', forOperations), { method: 'POST', body: call })
      expect(agent.status).toBe(401)
      expect(agent.text).not.toContain(forOperations)
    })
  })

  it('has the units that its maker gave it, of those of the account', async () => {
    const few = await make({ operations: ['forex'], hourly_units: 2 })
    const answers = []
    for (let use = 0; use < 3; use += 1) answers.push(await app.rest(withToken(RATES, few)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers[0]?.headers.get('ratelimit-policy')).toContain('"key_hour";q=2;w=3600')
    expect(answers[2]?.text).toContain('Hourly limit of this key of 2 units reached')
    expect(await statusOf(RATES, { key })).toBe(200)
    const free = await app.newKey({ tier: 'free' })
    const tooMany = await create({ operations: ['forex'], hourly_units: 15 }, { key: free })
    expect([tooMany.status, tooMany.text]).toEqual([422, expect.stringContaining('must be from 1 to 14')])
  })

  it('ends within a second of its revocation, and a rotated one reads the same', async () => {
    const { body } = await create({ operations: ['forex'], hourly_units: 5 })
    const rotated = await app.rest<Created>(`/auth/keys/${body.key_id}/rotate`, {
      method: 'POST',
      key,
      body: {},
    })
    expect(await statusOf(withToken(RATES, rotated.body.raw_key))).toBe(200)
    expect(await statusOf(withToken('/v1/assets', rotated.body.raw_key))).toBe(403)
    await app.rest(`/auth/keys/${rotated.body.key_id}`, { method: 'DELETE', key })
    const ended = await app.rest(withToken(RATES, rotated.body.raw_key))
    expect(ended.status).toBe(401)
    expect(ended.text).not.toContain(rotated.body.raw_key)
  })

  it('makes its answers private, keeps the address from other pages, and has the answer of every caller', async () => {
    const first = await app.rest(withToken(RATES, forOperations))
    expect(first.headers.get('cache-control')).toMatch(/^private, /)
    expect(first.headers.get('referrer-policy')).toBe('no-referrer')
    const other = await app.rest(RATES, { key })
    expect(other.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(other.headers.has('referrer-policy')).toBe(false)
    const refused = await app.rest(withToken('/v1/assets', forOperations))
    expect(refused.headers.get('cache-control')).toBe('no-store')
  })

  it('is in no link of a list, no error of a parameter and no line of the log', async () => {
    const list = await make({ operations: ['assets'], hourly_units: 10 })
    const { headers } = await app.rest(withToken('/v1/assets?limit=1', list))
    expect(headers.get('link')).toContain('rel="next"')
    expect(headers.get('link')).not.toContain('token')
    const wrong = await app.rest(withToken('/v1/assets?lmit=1', list))
    expect([wrong.status, wrong.text.includes(list)]).toEqual([422, false])
    const lines = app.logLines.join('')
    for (const secret of [list, forOperations, forInterface]) expect(lines).not.toContain(secret)
  })

  it.each([
    ['nothing', {}, 'must name at least one operation or interface'],
    ['an operation that does not exist', { operations: ['forexx'] }, 'url_use.operations'],
    ['an operation of accounts', { operations: ['api_keys'] }, 'url_use.operations'],
    ['an operation by POST', { operations: ['screen_leis'] }, 'url_use.operations'],
    [
      'an interface that does not exist',
      { interfaces: ['yahoo'] },
      `must be compatible interfaces: ${COMPAT_INTERFACES.join(', ')}`,
    ],
    ['no units', { operations: ['forex'], hourly_units: 0 }, 'url_use.hourly_units'],
  ])('cannot be made for %s', async (_what, url_use, message) => {
    const { status, text } = await create({ hourly_units: 1, ...url_use })
    expect([status, text]).toEqual([422, expect.stringContaining(message)])
  })
})

describe('another credential in the query', () => {
  it.each([
    ['an ordinary key', () => key],
    ['a key that nobody has', () => `mdg_test_${'a'.repeat(30)}_000000`],
    ['an access token', () => token],
  ])('is not read: %s', async (_what, secret) => {
    for (const path of [RATES, DAY, '/auth/me']) {
      const answer = await app.rest(withToken(path, secret()))
      expect([path, answer.status]).toEqual([path, 401])
      expect(answer.text).not.toContain(secret())
    }
  })

  it.each<readonly [string, () => Readonly<Record<string, string>>]>([
    ['another key in the header', () => ({ 'x-api-key': key })],
    ['another key as a bearer', () => ({ authorization: `Bearer ${key}` })],
    ['an access token', () => ({ authorization: `Bearer ${token}` })],
  ])('beside a key for addresses is a 400: %s', async (_what, headers) => {
    const answer = await app.rest(withToken(RATES, forOperations), { headers: headers() })
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('two credentials')])
    expect(answer.text).not.toContain(forOperations)
  })

  it('twice is a 400, and the same key in two places is one credential', async () => {
    expect(await statusOf(withToken(withToken(RATES, forOperations), forInterface))).toBe(400)
    expect(await statusOf(withToken(RATES, forOperations), { key: forOperations })).toBe(200)
    const headers = { 'x-api-key': key, authorization: `Bearer ${key}` }
    expect(await statusOf('/auth/me', { headers })).toBe(200)
  })
})

describe('an interface that is open to visitors', () => {
  it('answers without a key, with a quota per address, also to pages of other sites', async () => {
    const foreign = {
      origin: 'https://app.example',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'cors',
    }
    const { status, headers } = await app.rest(DAY, { headers: foreign })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, 'https://app.example'])
    expect(headers.get('ratelimit-policy')).toContain('"hour";q=60;w=3600, "demo_network_hour"')
    expect(await statusOf(RATES)).toBe(401)
    expect(await statusOf(DAY, { key: `${key}x` })).toBe(401)
  })
})
