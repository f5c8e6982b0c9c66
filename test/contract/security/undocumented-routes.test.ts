import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pageAssets } from '../../../src/gateway/pages/page-assets.js'
import { guidePath } from '../../../src/gateway/pages/page-html.js'
import { RELEASE_FILE_PATH } from '../../../src/gateway/paths.js'
import type { OpenApiDocument } from '../../../src/gateway/rest/openapi/openapi.js'
import { EXPORT_MEDIA_TYPES, EXTENSIONS } from '../../../src/gateway/rest/response/export-type.js'
import { createRestRoutes } from '../../../src/gateway/rest/routes/rest-routes.js'
import { GUIDES } from '../../../src/generated/page-assets/guides.js'
import { restSchema } from '../../../src/schema.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

const ROOT = resolve(import.meta.dirname, '../../..')
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'] as const

/** What answers and is not in the OpenAPI document, by path: the methods, and why it is not there. */
const OUTSIDE: Readonly<Record<string, { readonly methods: readonly string[]; readonly reason: string }>> = {
  '/': { methods: ['GET', 'HEAD'], reason: 'the landing page, and its links in JSON' },
  '/docs': { methods: ['GET', 'HEAD'], reason: 'the page that shows the document' },
  '/openapi.json': { methods: ['GET', 'HEAD'], reason: 'the document itself' },
  '/openapi-full.json': { methods: ['GET', 'HEAD'], reason: 'the document itself, for generated clients' },
  '/llms.txt': { methods: ['GET', 'HEAD'], reason: 'llmstxt.org: for language models' },
  '/llms-full.txt': { methods: ['GET', 'HEAD'], reason: 'llmstxt.org: for language models' },
  '/status': { methods: ['GET', 'HEAD'], reason: 'the answer of /v1/datasets, at the address of monitors' },
  '/healthz': { methods: ['GET', 'HEAD'], reason: 'for probes; described in the guide of operations' },
  '/readyz': { methods: ['GET', 'HEAD'], reason: 'for probes; described in the guide of operations' },
  '/.well-known/jwks.json': { methods: ['GET', 'HEAD'], reason: 'RFC 8615 and RFC 7517 describe it' },
  '/newsletter/confirm': { methods: [...METHODS], reason: 'a link in mails, for people' },
  '/newsletter/unsubscribe': {
    methods: [...METHODS],
    reason: 'a link in mails; RFC 8058 describes the POST',
  },
  '/v1/operations': {
    methods: ['GET', 'HEAD'],
    reason: 'the published operations of GraphQL, which each route links to',
  },
  '/mcp': { methods: [...METHODS], reason: 'its own protocol lists its tools' },
  '/graphql': { methods: [...METHODS], reason: 'GraphQL: its schema describes it' },
}

/** What software of other kinds has at known places, and people forget to close. */
const KNOWN_ELSEWHERE = [
  ...[
    '/metrics',
    '/admin',
    '/debug',
    '/debug/pprof',
    '/status',
    '/server-status',
    '/actuator',
    '/actuator/env',
  ],
  ...[
    '/.env',
    '/.git/config',
    '/package.json',
    '/config',
    '/console',
    '/swagger',
    '/swagger.json',
    '/api-docs',
  ],
  ...['/webhook', '/v1/webhook', '/v1', '/v1/', '/auth', '/v2', '/internal', '/graphiql', '/playground'],
  ...['/docs/', '/docs/assets', '/docs/assets/', '/docs/assets/../../package.json', '/readyz/', '/healthz/'],
]

let app: TestApp
let document: OpenApiDocument
let short: OpenApiDocument
let headers: Readonly<Record<string, string>>
beforeAll(async () => {
  app = await startTestApp(quickestDatabase(), { env: { BURST_PER_MINUTE: '1000000' } })
  document = (await app.rest<OpenApiDocument>('/openapi-full.json')).body
  short = (await app.rest<OpenApiDocument>('/openapi.json')).body
  headers = { 'x-api-key': await app.newKey({ tier: 'enterprise', grants: ['admin'] }), 'x-dry-run': 'cost' }
})
afterAll(() => app?.close())

/** Every text of the source that could be a path of its own. */
function pathsInSource(): readonly string[] {
  const files = readdirSync(resolve(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('generated'),
  )
  const texts = files.flatMap((name) => {
    const source = readFileSync(resolve(ROOT, 'src', name), 'utf8')
    return [...source.matchAll(/['"`](\/[\w.{}/-]*)['"`]/g)].map(([, path]) => path ?? '')
  })
  return [...new Set(texts)]
}

/** Whether the path is a binary file, which the short document has as a value of the parameter `format`. */
function isBinaryFile(path: string): boolean {
  const [, route = '', extension] = /^(.*)\.(\w+)$/.exec(path) ?? []
  const type = EXPORT_MEDIA_TYPES.find((known) => EXTENSIONS[known] === extension)
  const get = short.paths[route]?.get as { parameters?: readonly { $ref?: string }[] } | undefined
  const hasFormats = get?.parameters?.some(({ $ref }) => $ref === '#/components/parameters/format')
  return type !== undefined && hasFormats === true
}

/** Any value does for a parameter: a route that is there says what is wrong with it. */
const filled = (path: string) => path.replaceAll(/\{[^}]*\}/g, 'x')

/** The methods by which a path is more than "not found" or "not allowed". */
async function methodsAt(path: string): Promise<readonly string[]> {
  const statuses = await Promise.all(
    METHODS.map(async (method) => {
      const response = await fetch(app.url + filled(path), { method, headers, redirect: 'manual' })
      const text = await response.text()
      const isNoRoute = response.status === 404 && /No such path|[Nn]o (such )?route|There is no/.test(text)
      return response.status === 405 || (response.status === 404 && (method === 'HEAD' || isNoRoute))
        ? []
        : [method]
    }),
  )
  return statuses.flat()
}

it('the routes of REST are those of the document, each with its path there', () => {
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const { table } = createRestRoutes(restSchema)
  // It has no root field; test/domains/releases calls it.
  const FILE = `GET ${RELEASE_FILE_PATH}`
  const matched = documented
    .filter((operation) => operation !== FILE)
    .map((operation) => {
      const [method = '', path = ''] = operation.split(' ')
      const { route } = table.match(method, filled(path))
      return `${route.method} ${route.path}`
    })
  expect(matched.length).toBeGreaterThan(100)
  expect(documented.filter((operation) => !matched.includes(operation))).toEqual([FILE])
  expect(table.paths().filter((path) => document.paths[path] === undefined && !isBinaryFile(path))).toEqual(
    [],
  )
})

it('every path of the source that answers is documented, or is listed here with the reason', async () => {
  const known = new Set([
    ...Object.keys(document.paths),
    ...Object.keys(OUTSIDE),
    ...pageAssets().keys(),
    ...GUIDES.map(guidePath),
  ])
  const candidates = [...new Set([...pathsInSource(), ...KNOWN_ELSEWHERE])].filter((path) => !known.has(path))
  expect(candidates.length).toBeGreaterThan(KNOWN_ELSEWHERE.length)
  const answering: string[] = []
  for (const path of candidates) {
    const methods = await methodsAt(path)
    // A template of the document answers for what its parameter takes.
    const isOfTemplate = Object.keys(document.paths).some((template) =>
      templateOf(template).test(filled(path)),
    )
    if (methods.length > 0 && !isOfTemplate) answering.push(`${methods.join(',')} ${path}`)
  }
  expect(answering).toEqual([])
})

function templateOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[^}]*\}/g, '[^/]+')}$`)
}

it.each(Object.entries(OUTSIDE))(
  '%s answers the methods that are listed and no others',
  async (path, { methods }) => {
    const answered = await methodsAt(path)
    expect(methods).toEqual(expect.arrayContaining([...answered]))
    expect(answered.length).toBeGreaterThan(0)
  },
)
