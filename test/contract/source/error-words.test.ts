import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError, notFound } from '../../../src/core/errors.js'
import { nameField, nameRoute, nameTool } from '../../../src/core/operation-names.js'
import { graphSchema } from '../../../src/schema.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

const SRC = resolve(import.meta.dirname, '../../../src')

/** Files of the parts that answer REST and GraphQL alike. */
const SHARED = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (file) =>
    /^(domains|core|policy|schema-kit|gateway\/graphql)\/.*\.ts$/.test(file) &&
    file !== 'core/operation-names.ts',
)

/** A file without its comments: they may speak of routes. */
function codeOf(file: string): string {
  const text = readFileSync(join(SRC, file), 'utf8')
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}

/** Each operation, called wrongly, and what its error names in each interface. */
const CASES = [
  {
    tool: 'asset',
    given: { id: 'BTC' },
    path: '/v1/assets/BTC',
    query: '{ asset(id: "BTC") { data { name } } }',
    rest: 'To get the slug of the ticker BTC, use GET /v1/discover/BTC.',
    field: 'To get the slug of the ticker BTC, use the field discover(ticker: "BTC").',
    inTool: 'To get the slug of the ticker BTC, use the tool discover with ticker "BTC".',
  },
  {
    tool: 'commodity',
    given: { symbol: 'XAX' },
    path: '/v1/commodities/XAX',
    query: '{ commodity(symbol: "XAX") { data { name } } }',
    rest: 'Use GET /v1/commodities to list all symbols.',
    field: 'Use the field commodities to list all symbols.',
    inTool: 'Use the tool commodities to list all symbols.',
  },
  {
    tool: 'asset_fundamentals',
    given: { id: 'apple' },
    path: '/v1/assets/apple/fundamentals',
    query: '{ asset_fundamentals(id: "apple") { data { ticker } } }',
    rest: 'Use GET /v1/stocks/AAPL/fundamentals instead.',
    field: 'Use the field stock_fundamentals(ticker: "AAPL") instead.',
    inTool: 'Use the tool stock_fundamentals with ticker "AAPL" instead.',
  },
]

describe('an error that names an operation', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'enterprise' })
  })
  afterAll(() => app?.close())

  it.each(CASES)('of $tool names a route in REST', async ({ path, rest }) => {
    const { status, body } = await app.rest<{ readonly message: string }>(path, { key })
    expect(status).toBe(404)
    expect(body.message).toContain(rest)
    const problem = await app.rest<{ readonly message: string; readonly detail: string }>(path, {
      key,
      headers: { accept: 'application/problem+json' },
    })
    expect(problem.body.detail).toBe(body.message)
    expect(problem.body.message).toBe(body.message)
  })

  it.each(CASES)('of $tool names a field in GraphQL', async ({ query, field }) => {
    const { body } = await app.graphql(query, { key })
    const message = body.errors?.[0]?.message
    expect(message).toContain(field)
    expect(message).not.toContain('/v1')
  })

  it.each(CASES)('of $tool names a tool to an agent', async ({ tool, given, inTool }) => {
    const { body } = await app.rest<{
      readonly result: { readonly isError: boolean; readonly content: readonly { readonly text: string }[] }
    }>('/mcp', {
      key,
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: given } },
    })
    expect(body.result.isError).toBe(true)
    const { message } = JSON.parse(body.result.content[0]?.text ?? '{}') as { readonly message: string }
    expect(message).toContain(inTool)
    expect(message).not.toContain('/v1')
  })
})

describe('texts of errors', () => {
  it('are built from the operation and its arguments: path, query, or neither', () => {
    const error = notFound(
      (name) => `See ${name('asset_search', { q: 'a b' })} or ${name('star_dim_asset')}.`,
    )
    expect(error.textFor(nameRoute)).toBe(
      'See GET /v1/assets/search?q=a%20b or GET /v1/star/dim/assets/{asset_id}.',
    )
    expect(error.textFor(nameField)).toBe('See the field asset_search(q: "a b") or the field star_dim_asset.')
    expect(error.textFor(nameTool)).toBe('See the tool asset_search with q "a b" or the tool star_dim_asset.')
    // As logs have it.
    expect(error.message).toBe('See asset_search or star_dim_asset.')
    expect(new ApiError('conflict', { message: 'Taken.' }).textFor(nameRoute)).toBe('Taken.')
  })

  it('of REST name the field of an operation without a route', () => {
    expect(nameRoute('address_snapshots', { chain_id: 1 })).toBe('the field address_snapshots(chain_id: 1)')
  })

  it('of REST contain a valid address even if a text was cut within a character', () => {
    expect(nameRoute('asset_search', { q: 'a\ud83d' })).toBe('GET /v1/assets/search?q=a%EF%BF%BD')
  })

  it('that REST and GraphQL share do not contain a literal route', () => {
    expect(SHARED.length).toBeGreaterThan(300)
    const named = SHARED.flatMap((file) =>
      [...codeOf(file).matchAll(/\b(?:GET|POST|DELETE) (?:\/|\$\{)[^'`"\s]*/g)].map(
        ([route]) => `${file}: ${route}`,
      ),
    )
    expect(named).toEqual([])
  })

  it('name existing operations', () => {
    const operations = {
      ...graphSchema.getQueryType()?.getFields(),
      ...graphSchema.getMutationType()?.getFields(),
    }
    const names = SHARED.flatMap((file) =>
      [...codeOf(file).matchAll(/\$\{name\('(\w+)'/g)].map(([, name]) => name),
    )
    expect(names.length).toBeGreaterThan(15)
    expect(names.filter((name) => !Object.hasOwn(operations, name ?? ''))).toEqual([])
  })
})
