import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
    app = await startTestApp(quickestDatabase(), {
      env: { SIGNING_KEY: randomBytes(32).toString('base64url') },
    })
    key = await app.newKey({ tier: 'growth' })
    client = await connect({ 'x-api-key': key })
  })
  afterAll(async () => {
    await client?.close()
    await app?.close()
  })

  async function connect(headers: Record<string, string>, path = '/mcp'): Promise<Client> {
    const made = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await made.connect(
      new StreamableHTTPClientTransport(new URL(app.url + path), { requestInit: { headers } }),
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
    expect(data).toMatchObject({
      assets: [],
      assets_error:
        'Missing or invalid X-API-Key header. The request has no API key. Ask your user to create a key on the page /account of this gateway; the client sends it in the header X-API-Key.',
    })
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

  it('give quarters and trailing twelve months of a company, and companies in the order of a figure', async () => {
    for (const period of ['quarter', 'ttm']) {
      const given = { operation: 'stock_fundamentals', arguments: { ticker: 'AAPL', period } }
      const { data } = await call('run', given)
      const route = await app.rest<{ data: object }>(`/v1/stocks/AAPL/fundamentals?period=${period}`, { key })
      expect(data).toMatchObject({ data: route.body.data })
      expect(route.body.data).toMatchObject({ period, revenue_usd: expect.any(Number) })
    }
    const order = { sort: 'revenue_usd', period: 'ttm', order: 'desc', limit: 2 }
    const { data } = await call('run', { operation: 'stocks', arguments: order })
    const [largest, next] = (data as { data: readonly { sort_value: number }[] }).data
    expect(largest?.sort_value).toBeGreaterThan(next?.sort_value ?? Number.NaN)
    const { data: found } = await call('search', { query: 'largest companies by revenue' })
    expect((found as Found).operations.map(({ operation }) => operation)).toContain('stocks')
  })

  it('give a receipt with the answer as it was signed, which an agent can verify', async () => {
    const { data } = await call('run', { operation: 'assets', arguments: { limit: 1 }, receipt: true })
    const { answer, receipt } = data as { answer: string; receipt: string }
    expect(JSON.parse(answer)).toMatchObject({ data: [{ ticker: 'BTC' }] })
    // An answer that does not come from datasets has no receipt.
    const { data: checked } = await call('run', {
      operation: 'verify_receipt',
      arguments: { answer, receipt },
      receipt: true,
    })
    expect(checked).toMatchObject({
      is_valid: true,
      receipt: { operation: 'assets' },
      rerun: { status: 'same' },
    })
  })

  it('are for a receipt like the tools of all routes, which keep their own argument of that name', async () => {
    const all = await connect({ 'x-api-key': key }, '/mcp?toolset=full')
    const { tools } = await all.listTools()
    const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema.properties
    expect(schemaOf('assets')).toMatchObject({ receipt: { type: 'boolean' } })
    expect(schemaOf('verify_receipt')).toMatchObject({ receipt: { type: 'string' } })
    const { data } = await call('assets', { limit: 1, receipt: true }, all)
    const { answer, receipt } = data as { answer: string; receipt: string }
    const { data: checked } = await call('verify_receipt', { answer, receipt }, all)
    expect(checked).toMatchObject({ is_valid: true, rerun: { status: 'same' } })
    expect((await call('assets', { limit: 1, receipt: false }, all)).data).toMatchObject({
      data: [{ ticker: 'BTC' }],
    })
    expect(await call('assets', { limit: 1, receipt: 'yes' }, all)).toMatchObject({ isError: true })
    await all.close()
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

  it('check identifiers of any kinds, with the caveat in the result', async () => {
    const { data } = await call('screen', {
      leis: ['5493001KJTIIGC8Y1R12'],
      imos: ['IMO 9187629'],
      wallets: ['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'],
      registrations: [{ country: 'RU', number: '1027700132195' }],
    })
    expect(data).toMatchObject({
      caveat: expect.stringContaining('not_found is not an all-clear'),
      data: [
        { kind: 'lei', identifier: '5493001KJTIIGC8Y1R12', status: 'not_found' },
        { kind: 'imo', identifier: '9187629' },
        { kind: 'wallet', identifier: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', status: 'not_found' },
        { kind: 'registration', country: 'RU', identifier: '1027700132195' },
      ],
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
    ['screen', { leis: [] }, 'must have 1 to 100 identifiers'],
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

  it('have keywords for every operation that they can run', async () => {
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
    expect(queries.length).toBeGreaterThan(70)
    const without = queries.filter(([, keywords]) => keywords === undefined).map(([name]) => name)
    expect(without).toEqual([])
  })
})
