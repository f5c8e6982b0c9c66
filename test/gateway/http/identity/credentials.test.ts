import { describe, expect, it } from 'vitest'
import { parseCredentials } from '../../../../src/gateway/http/identity/credentials.js'
import { exchangeOf } from '../../../support/app/transport.js'

const KEY = 'mdg_test_key'

const shown = (headers: Readonly<Record<string, string>>) =>
  parseCredentials(exchangeOf('/v1/assets', { headers }))

describe('the credentials of a request', () => {
  it.each([
    ['a key', { 'x-api-key': KEY }, { apiKey: KEY, bearer: null }],
    ['a token', { authorization: 'Bearer a.b.c' }, { apiKey: null, bearer: 'a.b.c' }],
    ['a token, however the scheme is written', { authorization: 'bEARER x' }, { apiKey: null, bearer: 'x' }],
    ['nothing', {}, { apiKey: null, bearer: null }],
    ['an empty key, which is none', { 'x-api-key': '' }, { apiKey: null, bearer: null }],
    [
      'an empty key beside a token',
      { 'x-api-key': '', authorization: 'Bearer x' },
      { apiKey: null, bearer: 'x' },
    ],
  ])('are %s', (_what, headers, credentials) => {
    expect(shown(headers)).toEqual(credentials)
  })

  it.each([
    'Basic dXNlcjpwYXNz',
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer  a',
    'Token x',
    'ApiKey x',
    'x',
    'Bearer a, Bearer b',
  ])('are a 401 if Authorization is %j', (authorization) => {
    // Headers trims values; node:http hands them over trimmed as well.
    const exchange = {
      header: (name: string) => (name === 'authorization' ? authorization : null),
      search: '',
    }
    expect(() => parseCredentials(exchange)).toThrow(
      expect.objectContaining({
        status: 401,
        message: 'Missing or invalid Authorization header. It must be: Bearer <access_token>.',
      }),
    )
  })

  it.each([
    `?api_key=${KEY}`,
    '?limit=2&X-API-Key=something',
    '?apikey=something',
    '?access_token=a.b.c',
    `?anything=${KEY}`,
  ])('are a 401 that says why if they are in the query: %s', (search) => {
    const exchange = { header: () => null, search }
    expect(() => parseCredentials(exchange)).toThrow(
      'It is missing, and a key in the query is not read, because addresses are logged.',
    )
    const withHeader = { header: (name: string) => (name === 'x-api-key' ? KEY : null), search }
    expect(parseCredentials(withHeader)).toEqual({ apiKey: KEY, bearer: null })
  })

  it.each(['', '?limit=2', '?q=api_key', '?tokens=a'])('are absent with the query %j', (search) => {
    expect(parseCredentials({ header: () => null, search })).toEqual({ apiKey: null, bearer: null })
  })

  it('are a 401, not a 400, if a key comes with another scheme', () => {
    const headers = { 'x-api-key': KEY, authorization: 'Basic dXNlcjpwYXNz' }
    expect(() => shown(headers)).toThrow(expect.objectContaining({ status: 401 }))
  })

  it('are a 400 if two are sent, which the text does not repeat', () => {
    const headers = { 'x-api-key': KEY, authorization: 'Bearer secret-token' }
    expect(() => shown(headers)).toThrow(
      expect.objectContaining({
        status: 400,
        message: expect.not.stringMatching(/mdg_test|secret-token/),
      }),
    )
  })
})
