import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_BODY_BYTES } from '../../../src/gateway/http/connection/read-body.js'
import { type Answer, startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

const MINUTE_MS = 60_000
const TOO_LARGE = 'x'.repeat(MAX_BODY_BYTES + 1)

function linesOf(app: TestApp, { headers }: Answer) {
  const id = headers.get('x-request-id') ?? ''
  expect(id).not.toBe('')
  return app.logLines
    .filter((line) => line.includes(id))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('a body that is too large', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { world: 'empty', env: { BURST_PER_MINUTE: '5' } })
  })
  afterAll(() => app?.close())

  const send = (path: string, headers = {}) =>
    app.rest<Record<string, unknown>>(path, { method: 'POST', body: TOO_LARGE, headers })

  it('is a 413 with the request id in header, body and log, in both styles', async () => {
    app.clock.advance(MINUTE_MS)
    const rest = await send('/auth/login', { 'x-request-id': 'too-large-one' })
    expect([rest.status, rest.headers.get('x-request-id')]).toEqual([413, 'too-large-one'])
    expect(rest.body).toMatchObject({ error: 'payload_too_large', request_id: 'too-large-one' })
    expect(linesOf(app, rest)).toMatchObject([
      { msg: 'request', method: 'POST', path: '/auth/login', status: 413, units: 0, account_id: null },
    ])
    const graphql = await send('/graphql')
    const id = graphql.headers.get('x-request-id')
    expect(graphql.status).toBe(413)
    expect(graphql.body).toMatchObject({
      errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE', http: { status: 413 }, request_id: id } }],
    })
    expect(linesOf(app, graphql)).toMatchObject([{ msg: 'request', path: '/graphql', status: 413 }])
  })

  it('can be read by pages of other origins', async () => {
    app.clock.advance(MINUTE_MS)
    const { status, headers } = await send('/graphql', { origin: 'https://app.example' })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([413, 'https://app.example'])
  })

  it('counts in the burst guard of its address like any other request', async () => {
    app.clock.advance(MINUTE_MS)
    const statuses: number[] = []
    for (let call = 0; call < 7; call++) statuses.push((await send('/auth/login')).status)
    expect(statuses).toEqual([413, 413, 413, 413, 413, 429, 429])
    expect((await app.rest('/v1/assets')).status).toBe(429)
    app.clock.advance(MINUTE_MS)
    expect((await app.rest('/v1/assets')).status).toBe(401)
  })
})

describe('a refused change', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { world: 'empty' })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  const keysOf = async () => {
    const [row] = await app.database.rows<{ count: number }>('select count(*)::int as count from api_key')
    return row?.count
  }

  it.each([
    ['an Accept that cannot be met', { accept: 'image/png' }, 406],
    ['an Accept of nothing at all', { accept: '*/*;q=0' }, 406],
    ['an export, which it is not', { accept: 'text/csv' }, 406],
    ['a dry run in other words', { 'x-dry-run': 'yes' }, 422],
    ['two credentials', { authorization: 'Bearer x' }, 400],
    ['another type of body', { 'content-type': 'text/plain' }, 415],
  ])('changes nothing: %s', async (_what, headers, status) => {
    const before = await keysOf()
    const answer = await app.rest<{ error: string }>('/auth/keys', {
      method: 'POST',
      key,
      headers,
      body: { label: 'never made' },
    })
    expect(answer.status).toBe(status)
    expect(answer.text).not.toContain('raw_key')
    expect(await keysOf()).toBe(before)
  })

  it('changes nothing in GraphQL either', async () => {
    const before = await keysOf()
    const query = 'mutation { create_api_key(label: "never made") { raw_key } }'
    const answer = await app.graphql(query, { key, headers: { accept: 'image/png' } })
    expect([answer.status, await keysOf()]).toEqual([406, before])
  })

  it('works once it can be answered', async () => {
    const before = (await keysOf()) ?? 0
    const answer = await app.rest('/auth/keys', { method: 'POST', key, body: { label: 'made' } })
    expect([answer.status, await keysOf()]).toEqual([201, before + 1])
  })
})

describe('a dry run', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'free' })
  })
  afterAll(() => app?.close())

  it.each(['yes', 'true', '1', 'price', ''])(
    'is not X-Dry-Run: %j, which runs and charges nothing',
    async (value) => {
      const headers = { 'x-dry-run': value }
      const rest = await app.rest<{ details: unknown }>('/v1/assets', { key, headers })
      const graphql = await app.graphql('{ assets(limit: 1) { data { ticker } } }', { key, headers })
      expect([rest.status, graphql.status]).toEqual([422, 422])
      expect(rest.body.details).toEqual([
        { field: 'X-Dry-Run', message: 'must be cost; omit the header to run the request' },
      ])
      expect(graphql.headers.get('x-ratelimit-remaining')).toBe('14')
    },
  )

  it('of a request that would be refused is refused', async () => {
    const headers = { 'x-dry-run': 'cost' }
    const statuses = []
    for (const path of ['/v1/assets?limit=0', '/v1/no-such-route', '/v1/assets/bitcoin/ai-analysis/latest'])
      statuses.push((await app.rest(path, { key, headers })).status)
    expect(statuses).toEqual([422, 404, 403])
  })
})
