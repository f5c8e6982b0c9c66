import { readFileSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OPERATION_KEYWORDS } from '../../../src/gateway/rest/openapi/operation/operation-keywords.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

interface Found {
  readonly operations: readonly { readonly operation: string }[]
  readonly assets: readonly { readonly slug: string; readonly asset_class: string }[]
}

interface Question {
  readonly question: string
  /** The operations of which one must be among the first three found. */
  readonly operations: readonly string[]
  /** The slug of the asset that the question names. It must be among the first three found. */
  readonly asset?: string
}

/** Lists of questions in plain English. The keywords of operations were never adjusted to those of `fresh`. */
const QUESTIONS: Readonly<Record<string, readonly Question[]>> = JSON.parse(
  readFileSync(new URL('questions.json', import.meta.url), 'utf8'),
)

describe('the tools that an agent sees by default', () => {
  let app: TestApp
  let key: string
  let client: Client
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'growth' })
    client = await connect({ 'x-api-key': key })
  })
  afterAll(async () => {
    await client?.close()
    await app?.close()
  })

  async function connect(headers: Record<string, string>): Promise<Client> {
    const made = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await made.connect(
      new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit: { headers } }),
    )
    return made
  }
  const call = async (name: string, args: Record<string, unknown> = {}, from = client) => {
    const { content, structuredContent, isError } = await from.callTool({ name, arguments: args })
    const [first] = content as readonly { readonly text: string }[]
    return { text: first?.text ?? '', data: structuredContent as never, isError: isError ?? false }
  }
  const unitsLeft = async () => {
    const { headers } = await app.rest('/v1/assets/bitcoin', { key })
    return Number(headers.get('x-ratelimit-remaining'))
  }

  it('are six, take at most 6 kB to list, and have schemas of input and output', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search', 'describe', 'run', 'price', 'convert', 'screen'])
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(6_000)
    expect(
      tools.every((tool) => tool.outputSchema?.type === 'object' && tool.annotations?.readOnlyHint),
    ).toBe(true)
  })

  it.each([
    { list: 'recorded', operations: 32, assets: 13 },
    { list: 'plain', operations: 31, assets: 19 },
    { list: 'fresh', operations: 18, assets: 12 },
  ])('find the operation and the asset of the $list questions', async ({ list, operations, assets }) => {
    const questions = QUESTIONS[list] ?? []
    const found: Found[] = []
    for (const { question } of questions)
      found.push((await call('search', { query: question })).data as Found)
    const firstOf = (at: number) => ({
      operations: found[at]?.operations.slice(0, 3).map(({ operation }) => operation) ?? [],
      assets: found[at]?.assets.slice(0, 3).map(({ slug }) => slug) ?? [],
    })
    const misses = questions.flatMap(({ question, operations: right, asset }, at) => {
      const first = firstOf(at)
      return [
        ...(right.some((name) => first.operations.includes(name))
          ? []
          : [`operation of "${question}": ${first.operations}`]),
        ...(asset === undefined || first.assets.includes(asset)
          ? []
          : [`asset of "${question}": ${first.assets}`]),
      ]
    })
    const missed = (part: string) => misses.filter((miss) => miss.startsWith(part)).length
    const named = questions.filter(({ asset }) => asset !== undefined).length
    expect(questions.length - missed('operation'), misses.join('\n')).toBeGreaterThanOrEqual(operations)
    expect(named - missed('asset'), misses.join('\n')).toBeGreaterThanOrEqual(assets)
  })

  it('find the assets that a question names', async () => {
    const { data } = await call('search', { query: 'price history of bitcoin' })
    expect((data as { assets: unknown[] }).assets[0]).toMatchObject({ slug: 'bitcoin', ticker: 'BTC' })
    expect((data as { operations: unknown[] }).operations[0]).toMatchObject({
      operation: 'ohlcv',
      required: ['id'],
      optional: expect.arrayContaining(['timeframe', 'from', 'to', 'limit']),
    })
  })

  it('find operations without a key, and say that assets need one', async () => {
    const anonymous = await connect({})
    const { data, isError } = await call('search', { query: 'price of bitcoin' }, anonymous)
    expect(isError).toBe(false)
    expect(data).toMatchObject({ assets: [], assets_error: 'Missing or invalid X-API-Key header.' })
    await anonymous.close()
  })

  it('describe an operation by its schema, scope, price and an example that runs', async () => {
    const { data } = await call('describe', { operation: 'screen_leis' })
    const { details, example } = data as { details: string; example: Record<string, unknown> }
    expect(details).toMatch(/Requires the scope `screening:read`.*Costs 1 unit/)
    expect(data).toMatchObject({ arguments: { type: 'object', properties: { leis: { maxItems: 50 } } } })
    expect((await call('run', { operation: 'screen_leis', arguments: example })).isError).toBe(false)
    const timeframe = await call('describe', { operation: 'ohlcv' })
    expect(timeframe.data).toMatchObject({ arguments: { properties: { timeframe: { enum: ['1h', '1d'] } } } })
    expect(timeframe.text).not.toContain('$ref')
  })

  it('run an operation as its route does, without members of meta that are null', async () => {
    const before = await unitsLeft()
    const { data } = await call('run', { operation: 'assets', arguments: { limit: 2 } })
    expect(await unitsLeft()).toBe(before - 2)
    const route = await app.rest<{ data: unknown }>('/v1/assets?limit=2', { key })
    expect(data).toMatchObject({ data: route.body.data })
    expect(Object.values((data as { meta: object }).meta)).not.toContain(null)
  })

  it('explain a price by one window: hours where the key may see them, else days', async () => {
    const hourly = await call('price', { asset: 'bitcoin' })
    expect(hourly.data).toMatchObject({ ticker: 'BTC', timeframe: '1h', sources: expect.any(Array) })
    const free = await connect({ 'x-api-key': await app.newKey({ tier: 'free' }) })
    expect((await call('price', { asset: 'bitcoin' }, free)).data).toMatchObject({ timeframe: '1d' })
    await free.close()
  })

  it('convert to several currencies, also from a number', async () => {
    const { data } = await call('convert', { amount: 250, from: 'USD', to: ['EUR', 'JPY'] })
    expect(data).toMatchObject({
      data: { from: 'USD', amount: '250', conversions: [{ currency: 'EUR' }, { currency: 'JPY' }] },
    })
  })

  it.each([
    ['250 EUR in USD', '250', 'EUR', ['USD']],
    ['Convert 1,000.5 usd to JPY, GBP and CHF', '1000.5', 'USD', ['JPY', 'GBP', 'CHF']],
    ['how much is 75 CAD in GBP?', '75', 'CAD', ['GBP']],
  ])('convert as the text "%s" says', async (text, amount, from, to) => {
    const { data } = await call('convert', { text })
    expect(data).toMatchObject({ data: { from, amount, conversions: to.map((currency) => ({ currency })) } })
    const separate = await call('convert', { amount, from, to: to.join(',') })
    expect((separate.data as { data: unknown }).data).toEqual((data as { data: unknown }).data)
  })

  it('say the limit that fits a result that is too large', async () => {
    const limited = { operation: 'assets', arguments: { limit: 20 }, max_bytes: 5_000 }
    const { text } = await call('run', limited)
    const limit = Number(/Set limit to (\d+), or/.exec(text)?.[1])
    expect(limit, text).toBeGreaterThan(1)
    const fits = await call('run', { ...limited, arguments: { limit } })
    expect((fits.data as { data: unknown[] }).data).toHaveLength(limit)
  })

  it('screen companies, with the caveat in the result', async () => {
    const { data } = await call('screen', { leis: ['5493001KJTIIGC8Y1R12'] })
    expect(data).toMatchObject({
      caveat: expect.stringContaining('not_screened is not an all-clear'),
      data: [{ lei: '5493001KJTIIGC8Y1R12' }],
    })
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['run', { operation: 'ohlc' }, 'No operation is named ohlc. Similar operations: '],
    ['run', { operation: 'asset' }, 'id: is required'],
    ['run', { operation: 'asset', arguments: { id: 'BTC' } }, 'did you mean bitcoin (BTC)?'],
    ['run', { operation: 'asset', arguments: { id: 'BTC' } }, 'use the operation discover with arguments'],
    ['run', { operation: 'assets', arguments: { limt: 1 } }, 'did you mean'],
    ['run', { operation: 'assets', max_bytes: 1_000 }, 'and at most 1000 are accepted. Request less'],
    ['price', { asset: 'apple' }, 'apple has no candles: consensus prices exist for crypto assets only.'],
    ['price', {}, 'asset: Invalid input: expected string, received undefined'],
    ['convert', { from: 'USD', to: ['XXX'] }, 'XXX'],
    ['convert', { text: 'some euros' }, 'such as "250 EUR in USD"; got "some euros"'],
    ['convert', { text: '1,5 EUR in USD' }, 'got "1,5 EUR in USD"'],
    ['convert', { from: 'USD' }, 'from and to: are required without text'],
    ['screen', { leis: [] }, 'leis: Too small'],
    ['search', { query: 'x', limit: 1 }, 'Unrecognized key: "limit"'],
    ['delete_me', {}, 'Unknown tool delete_me. Call tools/list for the available tools.'],
  ])('say what is wrong with %s %j', async (name, args, words) => {
    const { isError, text } = await call(name, args)
    expect([isError, text]).toEqual([true, expect.stringContaining(words)])
  })

  it('leave the tools of all routes to ?toolset=full, and refuse another set', async () => {
    const full = await fetch(`${app.url}/mcp?toolset=some`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    })
    expect([full.status, await full.json()]).toEqual([
      422,
      expect.objectContaining({ message: 'toolset: must be default or full; got "some"' }),
    ])
  })

  it('have keywords for every operation that they can run, and for no other', async () => {
    const openApi = (await (await fetch(`${app.url}/openapi-full.json`)).json()) as {
      paths: Record<string, Record<string, Record<string, unknown>>>
    }
    const operations = Object.entries(openApi.paths).flatMap(([path, methods]) =>
      path.startsWith('/v1/') ? Object.values(methods) : [],
    )
    const queries = operations
      .filter((operation) =>
        String((operation['x-graphql'] as { document?: string })?.document).startsWith('query'),
      )
      .map((operation) => [operation.operationId, operation['x-keywords']])
    const served = Object.fromEntries(queries.filter(([, keywords]) => keywords !== undefined))
    expect(served).toEqual(OPERATION_KEYWORDS)
    const without = queries.filter(([, keywords]) => keywords === undefined).map(([name]) => name)
    expect(without).toEqual([])
  })
})
