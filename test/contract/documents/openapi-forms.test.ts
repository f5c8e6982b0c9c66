import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.js'
import { EXTENSIONS } from '../../../src/gateway/rest/response/export-type.js'
import { configuredOpenApi } from '../../../src/gateway/rest/wiring.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

/** A larger document is slow to open in editors, in the reference and for language models. */
const MAX_SHORT_BYTES_PER_OPERATION = 6_600

/** The bytes of a file: the only operation without an equivalent in GraphQL. */
const RELEASE_FILE = 'release_file'

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly $ref?: string }[]
  readonly requestBody?: {
    readonly content: { readonly 'application/json'?: { readonly example?: object } }
  }
  readonly responses: Readonly<Record<string, { readonly content?: object; readonly headers?: object }>>
  readonly 'x-graphql'?: { readonly operation: string; readonly document?: string }
}

interface Document {
  readonly info: { readonly description: string; readonly contact: { readonly url?: string } }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

const operationsOf = ({ paths }: Document) =>
  Object.values(paths).flatMap((methods) => Object.values(methods))

describe('the two forms of the OpenAPI document', () => {
  let app: TestApp
  let short: Document
  let full: Document
  let bytes: number
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    const served = await app.rest<Document>('/openapi.json')
    bytes = Buffer.byteLength(served.text)
    short = served.body
    full = (await app.rest<Document>('/openapi-full.json')).body
  })
  afterAll(() => app?.close())

  it('link to each other, and the short one has at most 6.6 kB an operation', () => {
    expect(bytes / operationsOf(short).length).toBeLessThanOrEqual(MAX_SHORT_BYTES_PER_OPERATION)
    for (const { info } of [short, full]) {
      expect(info.description).toContain('(/openapi.json)')
      expect(info.description).toContain('(/openapi-full.json)')
    }
  })

  it('name the public address as their server, or else the address that they were read from', async () => {
    const addressesOf = ({ servers, info }: Document) => [servers.map(({ url }) => url), info.contact.url]
    expect([short, full].map(addressesOf)).toEqual([
      [['/'], undefined],
      [['/'], undefined],
    ])
    const config = loadConfig({ NODE_ENV: 'test', PUBLIC_URL: 'https://example.org/data/' })
    const published: Document = JSON.parse(await configuredOpenApi(config).short())
    expect(addressesOf(published)).toEqual([['https://example.org/data'], 'https://example.org/data/docs'])
  })

  it('describe the same routes, with one media type for each success; the full one has an operation for each text file', () => {
    const extensions = Object.values(EXTENSIONS)
    const files = extensions.map((extension) => `.${extension}`)
    const routes = Object.keys(full.paths).filter((path) => !files.some((file) => path.endsWith(file)))
    expect(Object.keys(short.paths)).toEqual(routes)
    for (const { operationId, parameters = [] } of operationsOf(short)) {
      const hasFiles = full.paths[pathOf(full, `${operationId}_csv`)] !== undefined
      const hasFormat = parameters.some(({ $ref }) => $ref === '#/components/parameters/format')
      expect([operationId, hasFormat]).toEqual([operationId, hasFiles])
    }
    // A client of openapi-fetch gets the union of all media types of a success.
    for (const { operationId, responses } of [...operationsOf(short), ...operationsOf(full)])
      if (operationId !== RELEASE_FILE)
        expect(Object.keys(responses[200]?.content ?? {}).length, operationId).toBeLessThanOrEqual(1)
  })

  it('have an example of each JSON body, and declare the 405 and the header of bodies without meta', () => {
    const operations = operationsOf(short).filter(({ operationId }) => operationId !== RELEASE_FILE)
    for (const { operationId, requestBody, responses } of operations) {
      const json = requestBody?.content['application/json']
      expect(json === undefined || json.example !== undefined, operationId).toBe(true)
      expect(Object.keys(responses), operationId).toContain('405')
    }
    const marked = operations.filter(({ responses }) => 'X-Is-Dev-Dataset' in (responses[200]?.headers ?? {}))
    const names = marked.map(({ operationId }) => operationId)
    expect(names).toEqual(expect.arrayContaining(['forex', 'discover', 'etf']))
    expect(names).not.toContain('assets')
    const send = operations.find(({ operationId }) => operationId === 'newsletter_send')
    expect(send?.requestBody?.content['application/json']?.example).toHaveProperty('dry_run', true)
  })

  it('have the same schemas, and the full one has the text of each GraphQL operation', () => {
    expect(short.components.schemas).toEqual(full.components.schemas)
    expect(operationsOf(short).filter((operation) => operation['x-graphql']?.document !== undefined)).toEqual(
      [],
    )
    const texts = operationsOf(full).flatMap((operation) => operation['x-graphql']?.document ?? [])
    expect(texts.length).toBe(
      operationsOf(short).filter(({ operationId }) => operationId !== RELEASE_FILE).length,
    )
  })
})

function pathOf({ paths }: Document, operationId: string): string {
  const found = Object.entries(paths).find(([, methods]) =>
    Object.values(methods).some((operation) => operation.operationId === operationId),
  )
  return found?.[0] ?? ''
}
