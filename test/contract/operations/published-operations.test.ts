import { parse, print, visit } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../src/core/canonical-json.js'
import { publishedOperations } from '../../../src/gateway/rest/routes/published-operation.js'
import { restEndpoints } from '../../../src/gateway/rest/routes/rest-route.js'
import { createRestRoutes } from '../../../src/gateway/rest/routes/rest-routes.js'
import { buildRouteDocument } from '../../../src/gateway/rest/routes/sofa-routes.js'
import { restSchema } from '../../../src/schema.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

/** Operations of the OpenAPI document without an operation of GraphQL, and why. */
const WITHOUT_OPERATION: readonly (readonly [path: RegExp, reason: string])[] = [
  [
    /\.(csv|ndjson)$/,
    'a file has the rows alone of the route without the ending, whose operation gives them',
  ],
  [/^\/v1\/releases\/.*\/files\//, 'the bytes of a file, which GraphQL cannot return'],
]

const ALTERNATE = (name: string) =>
  `</v1/operations/${name}.graphql>; rel="alternate"; type="application/graphql"`

interface OpenApi {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly 'x-graphql'?: { readonly document: string } }>>>
  >
}

interface List {
  readonly total: number
  readonly data: readonly {
    readonly operation: string
    readonly method: string
    readonly route: string
    readonly href: string
    readonly sha256: string
  }[]
}

describe('the published operations', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  it('are the operations of the routes', async () => {
    const endpoints = restEndpoints(restSchema)
    const { sofa } = createRestRoutes(restSchema)
    const published = await publishedOperations(restSchema)
    expect(published.map(({ name }) => name)).toEqual(endpoints.map(({ field }) => field.name))
    for (const [at, endpoint] of endpoints.entries()) {
      const document = await buildRouteDocument(sofa, endpoint)
      const renamed = visit(document, {
        OperationDefinition: (node) => ({ ...node, name: { kind: 'Name', value: endpoint.field.name } }),
      })
      expect(published[at]?.text, endpoint.field.name).toBe(`${print(renamed)}\n`)
    }
  })

  it('exist for every operation of the OpenAPI document, except those listed with a reason', async () => {
    const { body } = await app.rest<OpenApi>('/openapi-full.json')
    const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ path, document: operation['x-graphql']?.document })),
    )
    const lacking = operations.filter(({ document }) => document === undefined).map(({ path }) => path)
    const isNamed = (path: string) => WITHOUT_OPERATION.some(([pattern]) => pattern.test(path))
    expect(lacking.filter((path) => !isNamed(path))).toEqual([])
    expect(operations.filter(({ path, document }) => document !== undefined && isNamed(path))).toEqual([])
    for (const { document } of operations) if (document !== undefined) parse(document)
  })

  it('are listed with address and hash for everybody', async () => {
    const { status, body, headers } = await app.rest<List>('/v1/operations')
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('public, max-age=3600')
    const routes = restEndpoints(restSchema).map(({ rest, field }) => [rest.method, rest.path, field.name])
    expect(body.data.map(({ method, route, operation }) => [method, route, operation])).toEqual(routes)
    expect(body.total).toBe(routes.length)
    for (const { href, sha256 } of body.data) {
      const text = await app.rest(href)
      expect([href, text.status, sha256Hex(text.text)]).toEqual([href, 200, sha256])
      expect(text.headers.get('content-type')).toBe('application/graphql; charset=utf-8')
    }
  })

  it('run by their hash at once, by POST and by GET', async () => {
    const { body } = await app.rest<List>('/v1/operations')
    const hashOf = (name: string) => body.data.find(({ operation }) => operation === name)?.sha256
    const extensions = (name: string) => ({ persistedQuery: { version: 1, sha256Hash: hashOf(name) } })
    const posted = await app.rest<{ data: { forex: { base: string } } }>('/graphql', {
      method: 'POST',
      key,
      body: { variables: { quote: 'USD' }, extensions: extensions('forex') },
    })
    expect([posted.status, posted.body.data.forex.base]).toEqual([200, 'EUR'])
    const search = `extensions=${encodeURIComponent(JSON.stringify(extensions('ai_methodology')))}`
    expect((await app.rest(`/graphql?${search}`, { key })).status).toBe(200)
  })

  it('are not sent again to clients that have them, and an unknown one is a 404', async () => {
    const first = await app.rest('/v1/operations/forex.graphql')
    expect(first.text).toMatch(/^query forex\(\$base: String = "EUR", \$quote: String!/)
    const again = await app.rest('/v1/operations/forex.graphql', {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    })
    expect([again.status, again.text]).toEqual([304, ''])
    expect((await app.rest('/v1/operations/nothing.graphql')).status).toBe(404)
    expect((await app.rest('/v1/operations/forex.graphql', { method: 'POST' })).status).toBe(404)
  })

  it('are linked from each answer: computed, cached, unchanged, paged, exported, created', async () => {
    const link = async (path: string, ask: object = {}) =>
      (await app.rest(path, { key, ...ask })).headers.get('link')
    const first = await app.rest('/v1/forex?quote=USD', { key })
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('link')).toBe(ALTERNATE('forex'))
    expect(await link('/v1/forex?quote=USD')).toBe(ALTERNATE('forex'))
    const unchanged = await app.rest('/v1/forex?quote=USD', { key, headers: { 'if-none-match': etag } })
    expect([unchanged.status, unchanged.headers.get('link')]).toEqual([304, ALTERNATE('forex')])
    expect(await link('/v1/forex.csv?quote=USD')).toBe(ALTERNATE('forex'))
    expect(await link('/v1/assets?limit=2')).toMatch(/rel="next", .*rel="last", [^,]*rel="alternate"/)
    const cached = await app.rest('/v1/assets?limit=2', { key })
    expect(cached.headers.get('link')).toBe(await link('/v1/assets?limit=2'))
    expect(cached.headers.get('link')).toContain(`, ${ALTERNATE('assets')}`)
    expect(await link('/auth/keys', { method: 'POST', body: { label: 'another' } })).toBe(
      ALTERNATE('create_api_key'),
    )
  })

  it('are not linked from an error', async () => {
    for (const path of ['/v1/assets/BTC', '/v1/assets?limit=0', '/v1/nothing']) {
      const { status, headers } = await app.rest(path, { key })
      expect([status >= 400, headers.get('link')]).toEqual([true, null])
    }
    expect((await app.rest('/v1/assets')).headers.get('link')).toBeNull()
  })
})
