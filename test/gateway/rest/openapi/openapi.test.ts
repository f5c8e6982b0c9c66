import { describe, expect, it } from 'vitest'
import { buildOpenApi } from '../../../../src/gateway/rest/openapi/openapi.js'
import { schema } from '../rest-schema.js'

const document = await buildOpenApi(schema, {
  version: '1.2.3',
  serverUrl: 'https://api.example.com',
  environment: 'production',
  form: 'full',
})

type Json = { readonly [key: string]: Json } & { readonly [index: number]: Json }

// A plain tree of JSON: what a client reads.
const read = JSON.parse(JSON.stringify(document)) as Json

/** The node at a path of keys; fails naming the first that is missing. */
function at(...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((node, key) => {
    expect(node, `${keys.join(' > ')}`).toHaveProperty([key])
    return (node as Record<string, unknown>)[key]
  }, read)
}

function* nodes(
  value: unknown,
  path = '#',
): Generator<readonly [path: string, node: Record<string, unknown>]> {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>]
  for (const [key, child] of Object.entries(value)) yield* nodes(child, `${path}/${key}`)
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    path,
    method,
    operation: operation as Record<string, unknown>,
  })),
)

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description: string
}

const parametersOf = (operation: Record<string, unknown>) =>
  ((operation.parameters ?? []) as readonly (Parameter | { readonly $ref: string })[]).map((parameter) =>
    '$ref' in parameter ? (at(...parameter.$ref.slice('#/'.length).split('/')) as Parameter) : parameter,
  )
const DRY_RUN = 'application/vnd.market-data-gateway.cost+json'

describe('the document', () => {
  it('has no dangling reference', () => {
    const references = [...nodes(read)].flatMap(([, node]) =>
      typeof node.$ref === 'string' ? [node.$ref] : [],
    )
    expect(references.length).toBeGreaterThan(50)
    for (const target of new Set(references)) at(...target.slice('#/'.length).split('/'))
  })

  it('declares every path parameter as required, and no other', () => {
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      const declared = parametersOf(operation).filter((parameter) => parameter.in === 'path')
      expect(declared.map((parameter) => parameter.name).sort(), path).toEqual(inPath.sort())
      expect(declared.every((parameter) => parameter.required)).toBe(true)
    }
  })

  it('declares each request header where it is read and nowhere else', () => {
    const inHeader = operations.map(({ method, path, operation }) => ({
      called: `${method} ${path}`,
      names: parametersOf(operation).flatMap((parameter) =>
        parameter.in === 'header' ? [parameter.name] : [],
      ),
    }))
    const withHeader = (header: string) =>
      inHeader.filter(({ names }) => names.includes(header)).map(({ called }) => called)
    const all = inHeader.map(({ called }) => called)
    expect(withHeader('X-Dry-Run')).toEqual(all)
    expect(withHeader('X-Request-Id')).toEqual(all)
    expect(withHeader('If-None-Match')).toEqual(all.filter((called) => called.startsWith('get ')))
    expect(withHeader('Idempotency-Key')).toEqual(['post /auth/keys'])
    expect(withHeader('Prefer')).toEqual(['get /v1/assets'])
    expect(new Set(inHeader.flatMap(({ names }) => names)).size).toBe(5)
  })

  it('gives every operation a unique name, a text, a success and errors', () => {
    const names = operations.map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(operations.length)
    for (const { operation } of operations) {
      expect(operation).toMatchObject({
        description: expect.stringMatching(/./),
        summary: expect.stringMatching(/./),
        tags: [expect.any(String)],
      })
      const statuses = Object.keys(operation.responses as object)
      const successes = statuses.filter((status) => status.startsWith('2'))
      expect(successes.length).toBe(1)
      const [success = ''] = successes
      const content = (operation.responses as Record<string, { content?: object }>)[success]?.content
      // The answer to a dry run is described by the text alone: as content it would make each answer a union.
      expect(Object.keys(content ?? {}).length).toBeLessThanOrEqual(1)
      expect(Object.keys(content ?? {})).not.toContain(DRY_RUN)
      expect(operation.description).toContain(DRY_RUN)
      expect(statuses).toEqual(expect.arrayContaining(['400', '422', '500', '503']))
    }
  })

  it('describes every parameter, property, response, header and tag', () => {
    for (const { operation } of operations) {
      for (const parameter of parametersOf(operation)) expect(parameter.description).toMatch(/./)
    }
    for (const [path, node] of nodes(read)) {
      if (!/\/(properties|responses|headers|securitySchemes)\/[^/]+$/.test(path) || '$ref' in node) continue
      expect(node.description, path).toMatch(/./)
    }
    for (const tag of document.tags) expect(tag.description).toMatch(/./)
  })

  it('declares null only for values that can be null: type lists name each type once', () => {
    for (const [path, node] of nodes(read)) {
      if (!Array.isArray(node.type)) continue
      expect(new Set(node.type).size, path).toBe(2)
    }
  })

  it('has no route outside the sub-graph', () => {
    expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'get /v1/assets',
      'get /v1/assets.csv',
      'get /v1/assets.ndjson',
      'get /v1/assets/{id}',
      'get /v1/assets/{id}/ai',
      'get /v1/macro/bis/countries',
      'get /v1/macro/{dataset}/{key}',
      'get /v1/echo',
      'get /v1/forex',
      'post /v1/screen',
      'get /v1/thing',
      'get /v1/fail',
      'post /auth/keys',
      'post /auth/keys/{key_id}/rotate',
      'delete /auth/keys/{key_id}',
    ])
  })
})

describe('responses', () => {
  const statuses = (path: string, method: string) =>
    Object.keys(at('paths', path, method, 'responses') as object)

  it('list the possible answers of an endpoint by its access, cost, path, body and own errors', () => {
    expect(statuses('/v1/assets', 'get')).toEqual([
      '200',
      '304',
      '400',
      '401',
      '405',
      '406',
      '409',
      '422',
      '429',
      '500',
      '503',
    ])
    expect(statuses('/v1/assets/{id}', 'get')).toContain('404')
    expect(statuses('/v1/assets/{id}/ai', 'get')).toContain('403')
    expect(statuses('/v1/echo', 'get')).toEqual([
      '200',
      '304',
      '400',
      '405',
      '406',
      '422',
      '429',
      '500',
      '503',
    ])
    expect(statuses('/auth/keys', 'post')).toEqual(expect.arrayContaining(['201', '413', '415']))
    expect(statuses('/auth/keys/{key_id}', 'delete')).toContain('204')
  })

  it('have a body except for 204, X-Total-Count for tables, and Link', () => {
    const schemaAt = (path: string, method: string, status: string) =>
      at('paths', path, method, 'responses', status, 'content', 'application/json', 'schema')
    expect(schemaAt('/v1/assets/{id}', 'get', '200')).toEqual({ $ref: '#/components/schemas/Asset' })
    expect(at('paths', '/auth/keys/{key_id}', 'delete', 'responses', '204')).not.toHaveProperty('content')
    const headersAt = (path: string) => at('paths', path, 'get', 'responses', '200', 'headers')
    expect(headersAt('/v1/assets')).toMatchObject({ Link: {}, 'X-Total-Count': {} })
    expect(headersAt('/v1/thing')).toHaveProperty('Link')
    expect(headersAt('/v1/thing')).not.toHaveProperty('X-Total-Count')
  })

  it('of errors have the Error schema and an example that fits it', () => {
    const content = at('components', 'responses', 'rate_limit_exceeded', 'content', 'application/json')
    expect(content).toEqual({
      schema: { $ref: '#/components/schemas/Error' },
      example: {
        error: 'rate_limit_exceeded',
        message: 'The limit of your tier is reached.',
        upgrade_url: 'https://example.com/upgrade',
        retry_after: 1772449200,
        request_id: '01J9ZC3X7E8Q',
      },
    })
  })
})

describe('security', () => {
  it('is key or token, nothing on open routes, and the scope if one is needed', () => {
    expect(document.security).toEqual([{ ApiKey: [] }, { bearer: [] }])
    expect(at('paths', '/v1/echo', 'get', 'security')).toEqual([])
    expect(at('paths', '/v1/assets', 'get')).not.toHaveProperty('security')
    expect(at('paths', '/v1/assets/{id}/ai', 'get')).toMatchObject({
      'x-required-scope': 'ai:read',
      description: [
        'Description of /v1/assets/{id}/ai.',
        `Requires the scope \`ai:read\` (tier starter and above). Costs 1 unit. \`X-Dry-Run: cost\` returns the price as ${DRY_RUN} instead.`,
        'The GraphQL operation [asset_ai](/v1/operations/asset_ai.graphql) returns the same data.',
      ].join('\n\n'),
    })
  })
})
