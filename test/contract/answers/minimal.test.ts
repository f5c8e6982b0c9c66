import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restEndpoints } from '../../../src/gateway/rest/routes/rest-route.js'
import { prefersMinimal } from '../../../src/platform/request/preference.js'
import { restSchema } from '../../../src/schema.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { callRest, exampleArguments, rootFields } from '../../support/app/endpoint-calls.js'
import { quickestDatabase } from '../../support/database/database.js'

type Json = Readonly<Record<string, unknown>>

const MINIMAL = { prefer: 'return=minimal' }
const PATH = '/v1/assets/bitcoin'

/** Routes that read datasets, so that two calls have the same answer. */
const READS = restEndpoints(restSchema).flatMap(({ rest, field, endpoint }) => {
  const root = rootFields().find(({ name }) => name === field.name)
  return root && endpoint.reads !== null ? [[`${rest.method} ${rest.path}`, root, rest] as const] : []
})

/** The body without what is null in `meta` and `_meta`, and without what differs between two calls. */
function lean(body: Json): Json {
  const entries = Object.entries(body).map(([name, value]) => {
    const isMeta = (name === 'meta' || name === '_meta') && typeof value === 'object' && value !== null
    const members = isMeta
      ? Object.entries(value).filter(([key, member]) => member !== null && key !== 'cache_hit')
      : []
    return [name, isMeta ? Object.fromEntries(members) : value]
  })
  return Object.fromEntries(entries)
}

describe('the preference return=minimal', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'enterprise' })
  })
  afterAll(() => app?.close())

  it.each(READS)('leaves out what is null in meta and _meta, and nothing else: %s', async (_, root, rest) => {
    const args = exampleArguments(root, {})
    const full = await callRest(app, root, rest, args, { key })
    const minimal = await callRest(app, root, rest, args, { key, headers: MINIMAL })
    expect(minimal.status).toBe(full.status)
    if (full.status >= 400) return expect(minimal.headers.get('preference-applied')).toBeNull()
    const hasMeta = ['meta', '_meta'].some((name) => name in (full.body as Json))
    expect(lean(minimal.body as Json)).toEqual(lean(full.body as Json))
    for (const name of ['meta', '_meta'])
      expect(Object.values((minimal.body as Record<string, object>)[name] ?? {})).not.toContain(null)
    expect(minimal.headers.get('preference-applied')).toBe(hasMeta ? 'return=minimal' : null)
    expect(full.headers.get('preference-applied')).toBeNull()
  })

  it('has a stored answer and an entity tag of its own', async () => {
    const ask = (headers: Record<string, string>) => app.rest<{ meta: Json }>(PATH, { key, headers })
    const [full, minimal] = [await ask({}), await ask(MINIMAL)]
    const tags = [full, minimal].map(({ headers }) => headers.get('etag') ?? '')
    expect(tags[0]).not.toBe(tags[1])
    const [again, minimalAgain] = [await ask({}), await ask(MINIMAL)]
    expect([again, minimalAgain].map(({ body }) => body.meta.cache_hit)).toEqual([true, true])
    expect(again.body.meta).toHaveProperty('ai_mode', null)
    expect(minimalAgain.body.meta).not.toHaveProperty('ai_mode')
    expect(minimalAgain.headers.get('preference-applied')).toBe('return=minimal')
    const revalidated = async (etag: string, headers: object) =>
      (await ask({ ...headers, 'if-none-match': etag })).status
    expect([await revalidated(tags[0] ?? '', {}), await revalidated(tags[1] ?? '', MINIMAL)]).toEqual([
      304, 304,
    ])
    expect([await revalidated(tags[1] ?? '', {}), await revalidated(tags[0] ?? '', MINIMAL)]).toEqual([
      200, 200,
    ])
  })

  it('is named by Vary, so that caches between keep both answers, and pages may read Preference-Applied', async () => {
    for (const headers of [{}, MINIMAL]) {
      const answer = await app.rest(PATH, { key, headers: { ...headers, origin: 'https://app.example' } })
      expect(answer.headers.get('vary')).toContain('Prefer')
      expect(answer.headers.get('access-control-expose-headers')).toContain('Preference-Applied')
    }
  })

  it('changes neither files nor errors nor GraphQL, where the selection decides', async () => {
    const csv = await fetch(`${app.url}/v1/assets.csv`, { headers: { ...MINIMAL, 'x-api-key': key } })
    expect([csv.status, csv.headers.get('preference-applied')]).toEqual([200, null])
    await csv.arrayBuffer()
    const query = '{ asset(id: "bitcoin") { meta { ai_mode source } } }'
    const graphql = await app.rest<{ data: Json }>('/graphql', {
      method: 'POST',
      key,
      body: { query },
      headers: MINIMAL,
    })
    expect(graphql.body.data).toEqual({ asset: { meta: { ai_mode: null, source: 'seed' } } })
    expect(graphql.headers.get('preference-applied')).toBeNull()
    const missing = await app.rest('/v1/assets/BTC', { key, headers: MINIMAL })
    expect([missing.status, missing.headers.get('preference-applied')]).toEqual([404, null])
  })

  it.each([
    ['return=minimal', true],
    ['respond-async, Return = "minimal"; x=y', true],
    ['return=representation, return=minimal', false],
    ['return=minimalist', false],
    ['x-return=minimal', false],
    ['return', false],
    ['', false],
  ])('is read from %j as RFC 7240 says', (prefer, expected) => {
    expect(prefersMinimal({ header: () => prefer })).toBe(expected)
  })
})
