import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccountWithKey } from '../../../src/domains/access/operator.js'
import { type CallOptions, startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

const BOTH_SCHEMES = 'ApiKey realm="market-data-gateway", Bearer realm="market-data-gateway"'
const WRONG_KEY = `mdg_test_${'a'.repeat(30)}_000000`

let app: TestApp
let key: string
let token: string
beforeAll(async () => {
  app = await startTestApp(quickestDatabase())
  const account = await createAccountWithKey(app.access, { tier: 'pro', label: 'test' })
  key = account.raw_key
  token = await app.access.tokens.sign(account.account_id, app.clock.now())
})
afterAll(() => app?.close())

const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
const errorOf = ({ body }: { readonly body: unknown }) => {
  const { error, errors } = body as { error?: string; errors?: readonly { extensions: { code: string } }[] }
  return error ?? errors?.[0]?.extensions.code.toLowerCase()
}

describe('an open route', () => {
  it.each([
    ['no credentials', {}],
    ['a key that is none', { 'x-api-key': 'nonsense' }],
    ['a key that nobody holds', { 'x-api-key': WRONG_KEY }],
    ['a token that is none', bearer('nonsense')],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['two credentials', { 'x-api-key': WRONG_KEY, ...bearer('nonsense') }],
  ])('ignores credentials: %s', async (_what, headers) => {
    const open = await app.rest<object>('/v1/ai/methodology', { headers })
    expect(open.status).toBe(200)
    const login = await app.rest('/auth/login', {
      method: 'POST',
      headers,
      body: { email: 'nobody@example.org', password: 'a wrong password' },
    })
    expect([login.status, errorOf(login)]).toEqual([401, 'unauthorized'])
  })

  it.each([
    ['a key that is none', { 'x-api-key': 'nonsense' }],
    ['a key that nobody holds', { 'x-api-key': WRONG_KEY }],
    ['a token that is none', bearer('nonsense')],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
  ])('is open in GraphQL too if all its fields are open: %s', async (_what, headers) => {
    for (const open of [
      '{ __schema { queryType { name } } }',
      'query { ...Open __typename } fragment Open on Query { datasets { total } ai_methodology { disclaimer } }',
    ]) {
      const answer = await app.graphql(open, { headers })
      expect([answer.status, answer.body]).toEqual([200, (await app.graphql(open)).body])
    }
    const login =
      'mutation { login(email: "nobody@example.org", password: "a wrong password") { token_type } }'
    const failed = await app.graphql(login, { headers })
    expect([failed.status, failed.body.errors?.[0]?.message]).toEqual([401, 'E-mail or password is wrong.'])
    for (const closed of [
      '{ assets { data { ticker } } }',
      '{ datasets { total } assets { data { ticker } } }',
      '{ usage { tier } __typename }',
      '{ nothing }',
      '{',
      'subscription { ai_analysis_changes { cursor } }',
    ]) {
      const answer = await app.graphql(closed, { headers })
      expect([closed, answer.status, answer.body.data]).toEqual([closed, 401, undefined])
      expect(answer.body.errors?.map(({ message }) => message)).toEqual([
        expect.stringMatching(/^Missing or invalid (X-API-Key|Authorization) header\. It /),
      ])
    }
  })

  it('answers a key like an anonymous caller, and charges nothing', async () => {
    const anyone = await app.rest('/v1/ai/methodology')
    const holder = await app.rest('/v1/ai/methodology', { key })
    expect(holder.body).toEqual(anyone.body)
    expect(holder.headers.has('ratelimit')).toBe(false)
    const { body } = await app.rest<{ policies: readonly { used: number }[] }>('/v1/usage', { key })
    expect(body.policies.map(({ used }) => used)).toEqual([0, 0])
  })
})

describe('two credentials in one request', () => {
  it.each([
    ['GET', '/v1/assets'],
    ['GET', '/v1/usage'],
    ['GET', '/auth/me'],
    ['GET', '/v1/no-such-route'],
    ['POST', '/graphql'],
  ])('give 400, even for one account: %s %s', async (method, path) => {
    const headers = { 'x-api-key': key, ...bearer(token) }
    const body = method === 'POST' ? { query: '{ __typename }' } : undefined
    const answer = await app.rest(path, { method, headers, ...(body ? { body } : {}) })
    expect([answer.status, errorOf(answer)]).toEqual([400, 'bad_request'])
    expect(answer.text).toMatch(/two credentials/)
    expect(answer.text).not.toContain(key)
    expect(answer.headers.has('ratelimit')).toBe(false)
  })

  it('differ from one token beside an empty key header', async () => {
    const answer = await app.rest('/auth/me', { headers: { 'x-api-key': '', ...bearer(token) } })
    expect(answer.status).toBe(200)
  })
})

describe('a 401', () => {
  it.each([
    ['no credentials', {}],
    ['a wrong key', { 'x-api-key': WRONG_KEY }],
    ['a wrong token', bearer('a.b.c')],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
  ])('offers both schemes, in both styles: %s', async (_what, headers) => {
    const answers = [
      await app.rest('/v1/assets', { headers }),
      await app.rest('/auth/me', { headers }),
      await app.graphql('{ assets { data { ticker } } }', { headers }),
    ]
    for (const { status, headers: given } of answers)
      expect([status, given.get('www-authenticate')]).toEqual([401, BOTH_SCHEMES])
  })

  it('is the only status with these headers', async () => {
    for (const path of ['/v1/assets', '/v1/nothing', '/v1/assets?limit=0'])
      expect((await app.rest(path, { key })).headers.has('www-authenticate')).toBe(false)
  })
})

describe('an answer below /auth', () => {
  const post = (body: unknown): CallOptions => ({ method: 'POST', body })

  it.each<readonly [string, string, CallOptions, number]>([
    [
      'a registration',
      '/auth/register',
      post({ email: 'a@example.org', password: 'long enough words' }),
      201,
    ],
    ['a login', '/auth/login', post({ email: 'a@example.org', password: 'long enough words' }), 200],
    ['a failed login', '/auth/login', post({ email: 'a@example.org', password: 'other words here' }), 401],
    ['malformed JSON', '/auth/login', post('{"email":'), 400],
    ['a field too many', '/auth/login', post({ email: 'a@example.org', password: 'x', more: 1 }), 422],
    ['no credentials', '/auth/me', {}, 401],
    ['no such route', '/auth/nothing', {}, 404],
    ['another method', '/auth/login', {}, 405],
    ['a body that is too large', '/auth/login', post('x'.repeat(300_000)), 413],
  ])('is never stored: %s', async (_what, path, call, status) => {
    const answer = await app.rest(path, call)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store'])
  })

  it.each([
    ['/auth/me', 'GET', 200],
    ['/auth/me', 'HEAD', 200],
    ['/auth/keys', 'GET', 200],
    ['/auth/keys/no-such-key', 'GET', 404],
    ['/auth/me', 'PUT', 405],
  ])('is never stored: %s by %s with a key', async (path, method, status) => {
    const answer = await app.rest(path, { method, key })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store'])
  })
})
