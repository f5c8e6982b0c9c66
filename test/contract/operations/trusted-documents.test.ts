import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../src/core/canonical-json.js'
import { FRAME_MODULE } from '../../../src/gateway/pages/page-assets.js'
import { type CallOptions, type GraphQLAnswer, startTestApp, type TestApp } from '../../support/app/app.js'
import { wasKept } from '../../support/app/kept-answers.js'
import { quickestDatabase } from '../../support/database/database.js'

const RATES = 'query Rates($quote: String!) { forex(quote: $quote) { quote rows } }'
const METHODOLOGY = `{ ai_methodology { disclaimer } } # ${'x'.repeat(9_000)}`
const OTHER = '{ forex(quote: "USD") { rows } }'

const directory = mkdtempSync(join(tmpdir(), 'mdg-trusted-'))
afterAll(() => rmSync(directory, { recursive: true }))

function manifest(name: string, content: unknown): string {
  const path = join(directory, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
const manifestOf = (...texts: readonly string[]) =>
  Object.fromEntries(texts.map((text) => [sha256Hex(text), text]))
const byHash = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: sha256Hex(text) } })

describe('a gateway with trusted documents', () => {
  let app: TestApp
  beforeAll(async () => {
    const path = manifest('trusted.json', manifestOf(RATES, METHODOLOGY))
    app = await startTestApp(quickestDatabase(), { env: { TRUSTED_DOCUMENTS: path } })
  })
  afterAll(() => app?.close())

  type Body = GraphQLAnswer<{ forex: { quote: string; rows: number } }>
  const post = (key: string | null, body: object, call: CallOptions = {}) =>
    app.rest<Body>('/graphql', { method: 'POST', key, body, ...call })

  it('runs them by hash, by hash and text, and by text, over POST and GET, with their price and cache', async () => {
    const key = await app.newKey({ tier: 'pro' })
    const variables = { quote: 'USD' }
    const answers = [
      await post(key, { extensions: byHash(RATES), variables }),
      await post(key, { extensions: byHash(RATES), query: RATES, variables }),
      await post(key, { query: RATES, variables }),
    ]
    const search = new URLSearchParams({
      extensions: JSON.stringify(byHash(RATES)),
      variables: JSON.stringify(variables),
    })
    const path = `/graphql?${search}`
    answers.push(await app.rest<Body>(path, { key }), await app.rest<Body>(path, { key }))
    expect(
      answers.map(({ status, body }) => [status, body.data?.forex.quote, body.extensions?.cost?.charged]),
    ).toEqual(answers.map(() => [200, 'USD', 1]))
    expect(answers.map((answer) => wasKept(app, answer))).toEqual([false, false, false, false, true])
    const tag = answers.at(-1)?.headers.get('etag') ?? ''
    expect((await app.rest(path, { key, headers: { 'if-none-match': tag } })).status).toBe(304)
  })

  it('runs a long one for callers without a key', async () => {
    const answer = await app.rest<GraphQLAnswer<object>>('/graphql', {
      method: 'POST',
      body: { extensions: byHash(METHODOLOGY) },
    })
    expect([answer.status, answer.body.data]).toEqual([
      200,
      { ai_methodology: { disclaimer: expect.any(String) } },
    ])
  })

  it.each([
    ['another text', { query: OTHER }],
    ['another hash', { extensions: byHash(OTHER) }],
    ['another hash with its text', { query: OTHER, extensions: byHash(OTHER) }],
    ['another text under a trusted hash', { query: OTHER, extensions: byHash(RATES) }],
    ['introspection', { query: '{ __schema { queryType { name } } }' }],
    ['no syntax', { query: '{' }],
  ])('refuses everything else with the reason: %s', async (_what, body) => {
    const answer = await post(await app.newKey({ tier: 'enterprise' }), body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors?.[0]?.message).toMatch(
      /^This gateway runs only trusted documents\. Send the SHA-256/,
    )
  })

  it('checks variables and access of trusted documents like those of others', async () => {
    const key = await app.newKey({ tier: 'pro' })
    expect((await post(key, { extensions: byHash(RATES) })).status).toBe(400)
    expect((await post(null, { extensions: byHash(RATES), variables: { quote: 'USD' } })).status).toBe(401)
  })

  it('answers REST requests', async () => {
    const key = await app.newKey({ tier: 'pro' })
    expect((await app.rest('/v1/forex?quote=USD', { key })).status).toBe(200)
  })

  it('does not start with a document that cannot run', async () => {
    const path = manifest('refused.json', manifestOf('{ nothing }'))
    const env = { TRUSTED_DOCUMENTS: path }
    await expect(startTestApp(quickestDatabase(), { database: app.database, env })).rejects.toThrow(
      /^TRUSTED_DOCUMENTS: \S+ has documents that cannot run:\n {2}- \w{64}: Cannot query field/,
    )
  })

  it('says in place of the explorer why it is off', async () => {
    const page = await app.rest('/graphql', { headers: { accept: 'text/html' } })
    expect(page.text).toContain('The explorer is off: this gateway runs only trusted documents')
    const scripts = [...page.text.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, path]) => path)
    expect(scripts).toEqual([FRAME_MODULE.path])
    expect((await app.rest('/', { headers: { accept: 'text/html' } })).text).toContain(
      'trusted documents only',
    )
  })
})
