import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { keyOf, questionOf } from '../../src/http/question.js'
import type { Caller } from '../../src/policy/principal.js'
import type { Scope } from '../../src/policy/scopes.js'

const WITH_KEY = { 'x-api-key': 'mdg_test_key' }
const JSON_TYPE = { 'content-type': 'application/json' }

interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A request as node:http hands it over, with its body read. */
function request(url: string, { method = 'GET', headers = WITH_KEY, body }: Ask = {}): IncomingMessage {
  const message = new IncomingMessage(new Socket())
  Object.assign(message, { method, url, ...(body === undefined ? {} : { body: Buffer.from(body) }) })
  Object.assign(message.headers, headers)
  return message
}

const post = (body: string, headers: Readonly<Record<string, string>> = {}): IncomingMessage =>
  request('/graphql', { method: 'POST', headers: { ...WITH_KEY, ...JSON_TYPE, ...headers }, body })
const operation = (query: string) => JSON.stringify({ query })

function caller(...scopes: readonly Scope[]): Caller {
  return {
    kind: 'key',
    accountId: 'account',
    meterId: 'account',
    keyId: 'key',
    tier: 'free',
    scopes: new Set(scopes),
    contract: null,
  }
}

describe('a question', () => {
  it('is asked by GET and HEAD alike, and can be revalidated', () => {
    const get = questionOf(request('/v1/assets?limit=2'))
    expect(get).toMatchObject({ door: 'rest', isGet: true })
    expect(questionOf(request('/v1/assets?limit=2', { method: 'HEAD' }))).toEqual(get)
    expect(questionOf(request('/graphql?query=%7Bassets%7Brows%7D%7D'))).toMatchObject({
      door: 'graphql',
      isGet: true,
    })
  })

  it('is asked by an operation in JSON, which can not be revalidated', () => {
    const question = questionOf(post(operation('{ assets { data { ticker } } }')))
    expect(question).toMatchObject({ door: 'graphql', isGet: false })
    expect(questionOf(post('{}', { 'content-type': 'application/json; charset=utf-8' }))).not.toBeNull()
  })

  it('is asked with a token as with a key', () => {
    expect(questionOf(request('/v1/assets', { headers: { authorization: 'Bearer x' } }))).not.toBeNull()
  })

  it.each([
    ['who shows no credentials', request('/v1/assets', { headers: {} })],
    ['a dry run', request('/v1/assets', { headers: { ...WITH_KEY, 'x-dry-run': 'cost' } })],
    ['a dry run of an operation', post(operation('{ assets { rows } }'), { 'x-dry-run': 'cost' })],
    ['a file', request('/v1/assets', { headers: { ...WITH_KEY, accept: 'text/csv' } })],
    [
      'a file by preference',
      request('/v1/assets', { headers: { ...WITH_KEY, accept: '*/*;q=0.1, text/csv' } }),
    ],
    ['a file of lines', request('/v1/assets', { headers: { ...WITH_KEY, accept: 'application/x-ndjson' } })],
    ['a long poll', request('/v1/ai-analysis/changes?since=2026-11-20&wait_seconds=30')],
    [
      'a long poll in an operation',
      post(operation('{ ai_analysis_changes(wait_seconds: 30) { has_more } }')),
    ],
    ['an operation by HEAD', request('/graphql?query=%7Ba%7D', { method: 'HEAD' })],
    ['an operation of a near type', post('{}', { 'content-type': 'application/jsonlines' })],
    [
      'a stream',
      request('/graphql?query=%7Ba%7D', { headers: { ...WITH_KEY, accept: 'text/event-stream' } }),
    ],
    ['a page', request('/graphql', { headers: { ...WITH_KEY, accept: 'text/html' } })],
    ['what accepts too much', request('/v1/assets', { headers: { ...WITH_KEY, accept: 'a/b,'.repeat(70) } })],
    ['a mutation', post(operation('mutation { login(email: "a", password: "b") { token } }'))],
    ['a subscription', post(operation('subscription { ai_analysis_changes { cursor } }'))],
    ['an operation of another type', post('query', { 'content-type': 'application/graphql' })],
    ['an operation without a type', request('/graphql', { method: 'POST', headers: WITH_KEY, body: '{}' })],
    [
      'an operation without a body',
      request('/graphql', { method: 'POST', headers: { ...WITH_KEY, ...JSON_TYPE } }),
    ],
    ['an operation that is too long', post(operation(`{ a(b: "${'c'.repeat(8_200)}") }`))],
    ['a path that is too long', request(`/v1/assets?mic=${'X'.repeat(2_048)}`)],
    [
      'a change',
      request('/v1/assets', { method: 'POST', body: '{}', headers: { ...WITH_KEY, ...JSON_TYPE } }),
    ],
    ['a removal', request('/v1/assets', { method: 'DELETE' })],
    ['a preflight', request('/v1/assets', { method: 'OPTIONS' })],
    ['an account', request('/auth/me')],
    ['a page of ours', request('/docs')],
    ['another prefix', request('/v10/assets')],
    ['an absolute form', request('http://example.org/v1/assets')],
    [
      'an operation below another path',
      request('/graphql/x', { method: 'POST', headers: { ...WITH_KEY, ...JSON_TYPE }, body: '{}' }),
    ],
  ])('is never kept: %s', (_what, asked) => {
    expect(questionOf(asked)).toBeNull()
  })

  it.each([
    ['paths', request('/v1/assets'), request('/v1/assets?limit=20')],
    [
      'what is accepted',
      request('/v1/assets'),
      request('/v1/assets', { headers: { ...WITH_KEY, accept: 'a/b' } }),
    ],
    ['operations', post(operation('{ a }')), post(operation('{ b }'))],
    ['variables', post('{"query":"{ a }"}'), post('{"query":"{ a }","variables":{"a":1}}')],
    ['doors', request('/graphql?query={a}'), post('{a}')],
    ['what an operation accepts', post('{}'), post('{}', { accept: 'application/graphql-response+json' })],
  ])('differs by its %s', (_what, one, other) => {
    const [a, b] = [questionOf(one), questionOf(other)]
    if (a === null || b === null) throw new Error('both are questions')
    expect(keyOf(a, caller())).not.toBe(keyOf(b, caller()))
  })

  it('has one key for all who hold the same scopes, in whatever order, and another for others', () => {
    const question = questionOf(request('/v1/assets'))
    if (question === null) throw new Error('it is a question')
    const key = keyOf(question, caller('ai:read', 'history:full'))
    expect(keyOf(question, { ...caller('history:full', 'ai:read'), accountId: 'other', tier: 'pro' })).toBe(
      key,
    )
    for (const other of [caller(), caller('ai:read'), caller('ai:read', 'history:full', 'admin')])
      expect(keyOf(question, other)).not.toBe(key)
  })
})
