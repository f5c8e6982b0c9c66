import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

/** Versions of the protocol: the newest, whose requests name it, and the one before, which begins with a handshake. */
const MODES = [
  ['2026-07-28', { pin: '2026-07-28' }],
  ['2025-11-25', 'legacy'],
] as const

describe.each(MODES)(
  'the full set of tools, called by the client of the SDK in version %s',
  (version, mode) => {
    let app: TestApp
    let key: string
    const clients: Client[] = []
    beforeAll(async () => {
      app = await startTestApp(quickestDatabase())
      key = await app.newKey({ tier: 'growth' })
    })
    afterAll(async () => {
      for (const client of clients) await client.close()
      await app?.close()
    })

    async function connect(headers: Record<string, string>): Promise<Client> {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${app.url}/mcp?toolset=full`), {
          requestInit: { headers },
        }),
      )
      clients.push(client)
      return client
    }
    const call = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: args })
      const [first] = content as readonly { readonly text: string }[]
      return { text: first?.text ?? '', data: structuredContent as never, isError: isError ?? false }
    }
    const rest = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(app.url + path, {
        ...init,
        headers: { 'x-api-key': key, ...JSON_HEADERS, accept: 'application/json' },
      })
      return { left: Number(response.headers.get('x-ratelimit-remaining')), body: await response.json() }
    }

    it('identifies itself, and has a tool for each route that only reads', async () => {
      const client = await connect({})
      expect(client.getServerVersion()).toMatchObject({ name: 'market-data-gateway' })
      expect(client.getNegotiatedProtocolVersion()).toBe(version)
      const { tools } = await client.listTools()
      const { body } = await rest('/v1/operations')
      const queries = (body as { data: { operation: string; route: string }[] }).data
        .filter(({ route }) => route.startsWith('/v1/'))
        .map(({ operation }) => operation)
      const names = tools.map(({ name }) => name)
      expect(names.length).toBeGreaterThan(50)
      expect(queries).toEqual(expect.arrayContaining(names))
      // What is missing changes something.
      const missing = queries.filter((name) => !names.includes(name))
      expect(missing.toSorted()).toEqual([
        'create_sql_credentials',
        'create_webhook',
        'delete_webhook',
        'newsletter_send',
        'replay_webhook',
        'revoke_sql_credentials',
        'rotate_webhook_secret',
        'test_webhook',
        'update_webhook',
      ])
      expect(tools.every(({ description, annotations }) => description && annotations?.readOnlyHint)).toBe(
        true,
      )
      const ohlcv = tools.find(({ name }) => name === 'ohlcv')
      expect(ohlcv?.inputSchema).toMatchObject({
        required: ['id'],
        properties: { limit: { type: 'integer', minimum: 1, maximum: 1000, default: 500 } },
      })
    })

    it('answers as the REST route does, from the same cache and for the same price', async () => {
      const client = await connect({ 'x-api-key': key })
      const before = await rest('/v1/assets/bitcoin/ohlcv?limit=3')
      const { data, text, isError } = await call(client, 'ohlcv', { id: 'bitcoin', limit: 3 })
      expect(isError).toBe(false)
      expect(data).toMatchObject({ data: (before.body as { data: object }).data, meta: { cache_hit: true } })
      expect(JSON.parse(text)).toEqual(data)
      const after = await rest('/v1/assets/bitcoin/ohlcv?limit=3')
      expect(before.left - after.left).toBe(2)
    })

    it('accepts lists, and routes with POST', async () => {
      const client = await connect({ 'x-api-key': key })
      const leis = ['5493001KJTIIGC8Y1R12', '5493001KJTIIGC8Y1R12']
      const { data } = await call(client, 'screen_leis', { leis })
      expect(data).toMatchObject({ data: [{ lei: leis[0] }, { lei: leis[1] }] })
      const cross = await call(client, 'forex_cross', { base: 'USD', quote: ['GBP', 'JPY'] })
      expect(cross.isError).toBe(false)
    })

    it.each([
      ['a key that is missing', {}, 'assets', {}, 'unauthorized'],
      ['an argument that is not known', { key: true }, 'assets', { limt: 1 }, 'did you mean'],
      ['an argument out of range', { key: true }, 'assets', { limit: 0 }, 'validation_error'],
      ['a path without its name', { key: true }, 'asset', {}, 'id: is required'],
      ['a scope that the key lacks', { key: true }, 'star_dim_tiers', {}, 'star:read'],
      ['an asset that is not there', { key: true }, 'asset', { id: '../../auth/me' }, 'not_found'],
      [
        'a tool that is not there',
        { key: true },
        'delete_me',
        {},
        'Unknown tool delete_me. Call tools/list for the available tools.',
      ],
    ])('says what is wrong with %s', async (_what, given, name, args, words) => {
      const client = await connect('key' in given ? { 'x-api-key': key } : {})
      const { isError, text } = await call(client, name, args)
      expect([isError, text]).toEqual([true, expect.stringContaining(words)])
    })

    it('refuses a key in the query with a 401 that says why, unless a header has one', async () => {
      const ask = (headers: Record<string, string>) =>
        fetch(`${app.url}/mcp?api_key=${key}`, {
          method: 'POST',
          headers: { ...JSON_HEADERS, ...headers },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
        })
      const refused = await ask({})
      expect([refused.status, await refused.text()]).toEqual([
        401,
        expect.stringContaining('a key in the query is not read, because addresses are logged'),
      ])
      expect((await ask({ 'x-api-key': key })).status).not.toBe(401)
    })

    it('refuses batches, which would combine many calls in one request', async () => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
      for (const body of [`[${JSON.stringify(message)}]`, ` \r\n\t[]`]) {
        const response = await fetch(`${app.url}/mcp`, { method: 'POST', headers: JSON_HEADERS, body })
        expect([response.status, await response.json()]).toEqual([
          400,
          {
            jsonrpc: '2.0',
            id: null,
            error: { code: -32600, message: 'Batches are not supported: send one message per request.' },
          },
        ])
      }
    })

    it('lists the tools to a client whose id looks like a list of tools', async () => {
      const id = '"result":{"tools":[]}'
      const body = JSON.stringify({ id, jsonrpc: '2.0', method: 'tools/list' })
      const response = await fetch(`${app.url}/mcp?toolset=full`, {
        method: 'POST',
        headers: JSON_HEADERS,
        body,
      })
      const answer = (await response.json()) as { id: string; result: { tools: unknown[] } }
      expect(answer.id).toBe(id)
      expect(answer.result.tools.length).toBeGreaterThan(50)
    })

    it.each([
      ['GET', undefined, {}, 405],
      ['DELETE', undefined, {}, 405],
      ['POST', '{', {}, 400],
      ['POST', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', { accept: 'application/json' }, 406],
      ['POST', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', { 'content-type': 'text/plain' }, 415],
    ])('refuses %s with %j and %j', async (method, body, headers, status) => {
      const response = await fetch(`${app.url}/mcp`, {
        method,
        headers: { ...JSON_HEADERS, ...headers },
        ...(body === undefined ? {} : { body }),
      })
      expect(response.status).toBe(status)
      expect(await response.text()).not.toMatch(/node_modules|at \w+ \(/)
    })
  },
)

describe('pages of other origins', () => {
  it('cannot use the tools if the operator allows no origin', async () => {
    const app = await startTestApp(quickestDatabase(), { env: { CORS_ORIGINS: 'https://app.example' } })
    const ask = async (origin: string) => {
      const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
      const response = await fetch(`${app.url}/mcp`, {
        method: 'POST',
        headers: { ...JSON_HEADERS, origin },
        body,
      })
      await response.arrayBuffer()
      return response.status
    }
    expect([await ask('https://app.example'), await ask('https://other.example')]).toEqual([200, 403])
    await app.close()
  })
})
