import { type ExecutionResult, GraphQLError, getOperationAST } from 'graphql'
import { type Plugin, useLogger } from 'graphql-yoga'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { socketClient } from '../../support/peers/socket-client.js'

interface Logged {
  readonly args: { readonly document: Parameters<typeof getOperationAST>[0] }
}

describe('a plugin of graphql-yoga that the gateway does not know', () => {
  let app: TestApp
  let key: string
  let seen: string[] = []
  beforeAll(async () => {
    const logFn = (event: string, { args }: Logged) => {
      const field = getOperationAST(args.document)?.selectionSet.selections[0]
      seen.push(`${event} ${field?.kind === 'Field' ? field.name.value : ''}`)
    }
    app = await startTestApp(quickestDatabase(), { plugins: [useLogger({ logFn })] })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())
  beforeEach(() => {
    seen = []
  })

  it('is called for a query, interpreted and compiled', async () => {
    for (let time = 0; time < 5; time++) {
      seen = []
      const query = 'query ($as_of: DateTime) { forex(quote: "USD", as_of: $as_of) { source } }'
      const variables = { as_of: `2026-11-20T0${time}:00:00Z` } // another question each time, so that none is kept
      expect((await app.graphql(query, { key, variables })).body.errors).toBeUndefined()
      expect(seen).toEqual(['execute-start forex', 'execute-end forex'])
      await new Promise((resolve) => setTimeout(resolve, 110)) // one operation is compiled in this time
    }
  })

  it('is called for a mutation', async () => {
    const { body } = await app.graphql('mutation { create_api_key(label: "seen") { raw_key } }', { key })
    expect(body.errors).toBeUndefined()
    expect(seen).toEqual(['execute-start create_api_key', 'execute-end create_api_key'])
  })

  it('is called for a subscription by server-sent events', async () => {
    const abort = new AbortController()
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': key },
      body: JSON.stringify({ query: 'subscription { forex { cursor } }' }),
      signal: abort.signal,
    })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(seen).toEqual(['subscribe-start forex', 'subscribe-end forex'])
    abort.abort()
  })

  it('is called for a subscription over a WebSocket', async () => {
    const client = socketClient(app.url, { 'X-API-Key': key })
    const events = client.iterate({ query: 'subscription { forex { cursor } }' })
    const next = events.next()
    await expect.poll(() => seen).toEqual(['subscribe-start forex', 'subscribe-end forex'])
    await client.dispose()
    await next.catch(() => {})
  })

  it('is called for a route of REST', async () => {
    expect((await app.rest('/v1/assets/bitcoin', { key })).status).toBe(200)
    expect(seen).toEqual(['execute-start asset', 'execute-end asset'])
  })

  it('is called for a tool of MCP', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
    const { text } = await app.rest('/mcp', {
      key,
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream' },
      body: { ...call, params: { name: 'forex', arguments: { quote: ['USD'] } } },
    })
    expect(text).toContain('"rate"')
    expect(seen).toEqual(['execute-start forex', 'execute-end forex'])
  })
})

describe('an error that a plugin of an operator adds', () => {
  const error = () => new GraphQLError('of the plugin', { originalError: new Error('relation "account"') })
  const plugin: Plugin = {
    onExecute: () => ({
      onExecuteDone: ({ result, setResult }) =>
        setResult({ ...(result as ExecutionResult), errors: [error()] }),
    }),
    onSubscribe: ({ setResultAndStopExecution }) => setResultAndStopExecution({ errors: [error()] }),
  }
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { plugins: [plugin] })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  it('is masked in the answer to a query', async () => {
    const { text, body } = await app.graphql('{ forex(quote: "USD") { source } }', { key })
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'INTERNAL_ERROR', http: { status: 500 } })
    expect(text).not.toMatch(/of the plugin|relation/)
  })

  it('is masked when it prevents a subscription', async () => {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': key },
      body: JSON.stringify({ query: 'subscription { forex { cursor } }' }),
    })
    const text = await response.text()
    expect(text).toContain('"code":"INTERNAL_ERROR"')
    expect(text).not.toMatch(/of the plugin|relation/)
  })
})
