import { describe, expect, it } from 'vitest'
import { toCacheKey } from '../../../../src/gateway/http/cache/cache-key.js'
import { isReadMethod } from '../../../../src/gateway/http/read-method.js'
import type { Exchange } from '../../../../src/platform/request/exchange.js'
import { ANONYMOUS, type Caller } from '../../../../src/policy/principal.js'
import type { Scope } from '../../../../src/policy/scopes.js'
import { exchangeOf } from '../../../support/app/transport.js'

const JSON_TYPE = { 'content-type': 'application/json' }

const post = (body: string, headers: Readonly<Record<string, string>> = {}): Exchange =>
  exchangeOf('/graphql', { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body })
const operation = (query: string) => JSON.stringify({ query })

function caller(...scopes: readonly Scope[]): Caller {
  return {
    kind: 'key',
    accountId: 'account',
    meterId: 'account',
    keyId: 'key',
    tier: 'free',
    scopes: new Set(scopes),
    isNarrowed: false,
    endsAt: null,
    contract: null,
  }
}

const keyOf = (exchange: Exchange) => toCacheKey(exchange, caller())

describe('the key of a response', () => {
  it('is the same for GET and HEAD, which can both be revalidated', () => {
    for (const target of ['/v1/assets?limit=2', '/graphql?query=%7Ba%7D']) {
      const get = keyOf(exchangeOf(target))
      expect(get).not.toBeNull()
      expect(keyOf(exchangeOf(target, { method: 'HEAD' }))).toBe(get)
    }
    expect(['GET', 'HEAD', 'POST', 'DELETE'].map(isReadMethod)).toEqual([true, true, false, false])
  })

  it('exists for an operation in the URL and for one in JSON', () => {
    expect(keyOf(exchangeOf('/graphql?query=%7Bassets%7Brows%7D%7D'))).not.toBeNull()
    expect(keyOf(post(operation('{ assets { data { ticker } } }')))).not.toBeNull()
    expect(keyOf(post('{}', { 'content-type': 'application/json; charset=utf-8' }))).not.toBeNull()
  })

  it('does not depend on the credentials', () => {
    const plain = keyOf(exchangeOf('/v1/assets'))
    for (const headers of [{ 'x-api-key': 'mdg_test_key' }, { authorization: 'Bearer x' }])
      expect(keyOf(exchangeOf('/v1/assets', { headers }))).toBe(plain)
  })

  it.each([
    ['what accepts too much', exchangeOf('/v1/assets', { headers: { accept: 'a/b,'.repeat(70) } })],
    ['an operation without a body', exchangeOf('/graphql', { method: 'POST', headers: JSON_TYPE })],
    ['an operation that is too long', post(operation(`{ a(b: "${'c'.repeat(8_200)}") }`))],
    ['a target that is too long', exchangeOf(`/v1/assets?mic=${'X'.repeat(2_048)}`)],
    ['a change', exchangeOf('/v1/assets', { method: 'POST', body: '{}', headers: JSON_TYPE })],
    ['a removal', exchangeOf('/v1/assets', { method: 'DELETE' })],
    ['a preflight', exchangeOf('/v1/assets', { method: 'OPTIONS' })],
    [
      'an operation below another path',
      exchangeOf('/graphql/x', { method: 'POST', headers: JSON_TYPE, body: '{}' }),
    ],
  ])('does not exist for %s', (_what, exchange) => {
    expect(keyOf(exchange)).toBeNull()
  })

  it('exists up to its bounds', () => {
    const path = `/v1/assets?mic=${'X'.repeat(2_048 - '/v1/assets?mic='.length)}`
    expect(keyOf(exchangeOf(path))).not.toBeNull()
    expect(keyOf(exchangeOf(`${path}X`))).toBeNull()
    expect(keyOf(post('x'.repeat(8 * 1024)))).not.toBeNull()
    expect(keyOf(post('x'.repeat(8 * 1024 + 1)))).toBeNull()
    const accepting = (length: number) =>
      exchangeOf('/v1/assets', { headers: { accept: 'a'.repeat(length) } })
    expect(keyOf(accepting(256))).not.toBeNull()
    expect(keyOf(accepting(257))).toBeNull()
  })

  it.each([
    ['paths', exchangeOf('/v1/assets'), exchangeOf('/v1/assets?limit=20')],
    ['what is accepted', exchangeOf('/v1/assets'), exchangeOf('/v1/assets', { headers: { accept: 'a/b' } })],
    ['operations', post(operation('{ a }')), post(operation('{ b }'))],
    ['variables', post('{"query":"{ a }"}'), post('{"query":"{ a }","variables":{"a":1}}')],
    ['methods', exchangeOf('/graphql?query={a}'), post('{a}')],
    ['what an operation accepts', post('{}'), post('{}', { accept: 'application/graphql-response+json' })],
    ['the type of an operation', post('{}'), post('{}', { 'content-type': 'application/jsonlines' })],
    [
      'the URL of an operation',
      post('{}'),
      exchangeOf('/graphql?query={a}', { method: 'POST', headers: JSON_TYPE, body: '{}' }),
    ],
  ])('differs by %s', (_what, one, other) => {
    const keys = [keyOf(one), keyOf(other)]
    expect(keys).not.toContain(null)
    expect(keys[0]).not.toBe(keys[1])
  })

  it('cannot be forged by a client to match another caller or request', () => {
    const scoped = toCacheKey(exchangeOf('/v1/assets'), caller('ai:read'))
    for (const accept of ['ai:read\n/v1/assets', '\n/v1/assets\nai:read'])
      expect(keyOf({ ...exchangeOf('/v1/assets'), header: () => accept })).not.toBe(scoped)
  })

  it('is the same for all holders of the same scopes in any order, and differs for others', () => {
    const exchange = exchangeOf('/v1/assets')
    const key = toCacheKey(exchange, caller('ai:read', 'history:full'))
    const same = { ...caller('history:full', 'ai:read'), accountId: 'other', tier: 'pro' } as const
    expect(toCacheKey(exchange, same)).toBe(key)
    for (const other of [caller(), caller('ai:read'), caller('ai:read', 'history:full', 'admin')])
      expect(toCacheKey(exchange, other)).not.toBe(key)
  })

  it('differs between a caller without credentials and one without scopes', () => {
    for (const exchange of [exchangeOf('/v1/datasets'), post(operation('{ a }'))]) {
      expect(toCacheKey(exchange, ANONYMOUS)).not.toBeNull()
      expect(toCacheKey(exchange, ANONYMOUS)).not.toBe(keyOf(exchange))
    }
  })
})
