import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type GraphQLObjectType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type App, createApp } from '../../../src/app.js'
import { loadConfig } from '../../../src/config.js'
import { TRANSPORTS } from '../../../src/gateway/http/response/access-log.js'
import { createMetrics, createMetricsServer } from '../../../src/gateway/http/telemetry/metrics.js'
import { createLogger } from '../../../src/platform/logger.js'
import { graphSchema } from '../../../src/schema.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { MIGRATIONS, quickestDatabase } from '../../support/database/database.js'
import { openEventStream } from '../../support/peers/event-stream.js'
import { type Listening, listen } from '../../support/peers/sockets.js'

const metrics = createMetrics()
const lines: string[] = []
let world: TestApp
let app: App
let gateway: Listening
let server: Server
let url: string
let key: string

beforeAll(async () => {
  world = await startTestApp(quickestDatabase())
  key = await world.newKey({ tier: 'pro' })
  app = createApp({
    config: loadConfig({ NODE_ENV: 'test', PROVIDER_URL_OPENFIGI: 'http://127.0.0.1:9' }),
    database: world.database,
    clock: world.clock,
    log: createLogger('info', { write: (line: string) => void lines.push(line) }),
    metrics,
    migrations: MIGRATIONS,
    pageKey: null,
  })
  gateway = await listen(app.listener)
  server = createMetricsServer(metrics)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a TCP port
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await gateway.close()
  await app.close()
  await world.close()
})

const ask = (path: string, init: RequestInit = {}) =>
  fetch(gateway.url + path, { headers: { 'x-api-key': key }, ...init })
const graphql = (query: string) =>
  ask('/graphql', {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
const scrape = async () => (await fetch(`${url}/metrics`)).text()

/** Value of a series in the text that Prometheus reads; null when there is none. */
function readingOf(text: string, name: string, labels: Readonly<Record<string, string>>): number | null {
  for (const line of text.split('\n')) {
    if (!line.startsWith(`${name}{`)) continue
    const isIt = Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`))
    if (isIt) return Number(line.split(' ').at(-1))
  }
  return null
}

describe('metrics', () => {
  it('count each answered request by transport, route, operation and status', async () => {
    await ask('/v1/assets/bitcoin')
    await ask('/v1/assets/bitcoin')
    await ask('/v1/assets/no-such-coin')
    await ask('/v1/assets', { headers: {} })
    await ask('/v1/no-such-route')
    await graphql('{ assets(limit: 1) { data { ticker } } }')
    await graphql('{ assets(limit: 1) { data { ticker } } asset(id: "bitcoin") { data { ticker } } }')
    await graphql('{ nonsense }')
    await ask('/healthz')
    const text = await scrape()
    const count = (transport: string, route: string, operation: string, status: number) =>
      readingOf(text, 'gateway_request_duration_seconds_count', {
        transport,
        route,
        operation,
        status: String(status),
      })
    expect(count('rest', '/v1/assets/{id}', 'asset', 200)).toBe(2)
    expect(count('rest', '/v1/assets/{id}', 'asset', 404)).toBe(1)
    expect(count('rest', '/v1/assets', 'none', 401)).toBe(1)
    expect(count('rest', 'none', 'none', 404)).toBe(1)
    expect(count('graphql', '/graphql', 'assets', 200)).toBe(1)
    expect(count('graphql', '/graphql', 'several', 200)).toBe(1)
    expect(count('graphql', '/graphql', 'none', 400)).toBe(1)
    expect(count('pages', 'none', 'none', 200)).toBe(1)
  })

  it('have a histogram of durations up to the longest that a request may take', async () => {
    const text = await scrape()
    const bucket = (le: string) =>
      readingOf(text, 'gateway_request_duration_seconds_bucket', {
        le,
        transport: 'rest',
        operation: 'asset',
        status: '200',
      })
    expect(bucket('10')).toBe(2)
    expect(bucket('+Inf')).toBe(2)
    const labels = { transport: 'rest', operation: 'asset', status: '200' }
    const sum = readingOf(text, 'gateway_request_duration_seconds_sum', labels) ?? 0
    expect(sum).toBeGreaterThan(0)
    expect(sum).toBeLessThan(20)
  })

  it('count the charged units, and none for refusals', async () => {
    const charged = async (transport: string) =>
      readingOf(await scrape(), 'gateway_units_charged_total', { transport }) ?? 0
    const before = { rest: await charged('rest'), graphql: await charged('graphql') }
    await ask('/v1/assets?limit=0')
    await graphql(
      '{ a: asset(id: "bitcoin") { data { ticker } } b: asset(id: "ethereum") { data { ticker } } }',
    )
    await ask('/v1/assets')
    expect(await charged('rest')).toBe(before.rest + 1)
    expect(await charged('graphql')).toBe(before.graphql + 2)
  })

  it('have only series with names of the schema, whatever callers send', async () => {
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        await ask(`/v1/made-up-${index}`)
        await ask(`/made-up-${index}`)
        await graphql(`query Q${index} { made_up_${index}: asset(id: "coin-${index}") { data { ticker } } }`)
        await graphql(`{ made_up_${index} }`)
      }),
    )
    const labels = (name: string) =>
      new Set(
        [...text.matchAll(new RegExp(`^gateway_.*\\b${name}="([^"]*)"`, 'gm'))].map(
          ([, value]) => value ?? '',
        ),
      )
    const text = await scrape()
    const roots = Object.values(graphSchema.getTypeMap())
      .filter((type) => /^(Query|Mutation|Subscription)$/.test(type.name) && isObjectType(type))
      .flatMap((type) => Object.keys((type as GraphQLObjectType).getFields())) // filtered above
    const known = new Set([...roots, 'none', 'several'])
    expect([...labels('operation')].filter((name) => !known.has(name))).toEqual([])
    expect([...labels('transport')].sort()).toEqual([...TRANSPORTS].sort())
    for (const status of labels('status')) expect(status).toMatch(/^[2-5]\d\d$/)
    expect(text).not.toMatch(/made.up|coin-/)
  })

  it('show the load of the node', async () => {
    const text = await scrape()
    expect(readingOf(text, 'gateway_requests_admitted', { state: 'running' })).toBe(0)
    expect(readingOf(text, 'gateway_requests_admitted', { state: 'waiting' })).toBe(0)
    expect(readingOf(text, 'gateway_streams_open', { kind: 'events' })).toBe(0)
    expect(text).toMatch(/^gateway_cache_bytes [1-9]\d*$/m)
    const own = await world.newKey({ tier: 'enterprise' })
    const stream = await openEventStream(gateway.url, 'subscription { ai_analysis_changes { cursor } }', own)
    expect(stream.response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const events = stream.response.body?.getReader()
    await events?.read()
    expect((await scrape()).match(/^gateway_streams_open.*$/gm)).toEqual([
      'gateway_streams_open{kind="events"} 1',
      'gateway_streams_open{kind="messages"} 0',
      'gateway_streams_open{kind="file"} 0',
    ])
    stream.kill()
    await vi.waitFor(
      async () => expect(readingOf(await scrape(), 'gateway_streams_open', { kind: 'events' })).toBe(0),
      { timeout: 30_000 },
    )
  })

  it('contain nothing of a caller', async () => {
    const text = await scrape()
    expect(text).not.toContain('mdg_')
    expect(text).not.toMatch(/account|127\.0\.0\.1/)
  })

  it('are the only content of their own listener', async () => {
    const own = await fetch(`${url}/metrics`)
    expect([own.status, own.headers.get('content-type')]).toEqual([200, metrics.contentType])
    expect((await fetch(`${url}/`)).status).toBe(404)
    expect((await fetch(`${url}/v1/assets`)).status).toBe(404)
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404)
    const main = await world.rest('/metrics', { key })
    expect(main.status).toBe(404)
    expect(main.text).not.toContain('gateway_')
  })

  it('show the state of the process', async () => {
    expect(await scrape()).toMatch(/^process_resident_memory_bytes \d+/m)
    expect(await scrape()).toMatch(/^nodejs_eventloop_lag_seconds /m)
  })
})

describe('the access log', () => {
  it('has one line per answered request, with the account but not the key or the query', async () => {
    lines.length = 0
    const response = await ask('/v1/assets?limit=1')
    const written = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(written).toHaveLength(1)
    expect(written[0]).toMatchObject({
      msg: 'request',
      method: 'GET',
      path: '/v1/assets',
      status: 200,
      operation: 'assets',
      units: 1,
      request_id: response.headers.get('x-request-id'),
    })
    expect(written[0]?.account_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(lines.join('')).not.toContain(key)
    expect(lines.join('')).not.toContain('limit=1')
  })

  it.each(['/v1/assets', '/graphql', '/auth/login', '/healthz'])(
    'lets a browser ask first: OPTIONS %s',
    async (path) => {
      lines.length = 0
      const response = await ask(path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://app.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-api-key,content-type',
        },
      })
      expect(response.status).toBe(204)
      expect(await response.text()).toBe('')
      expect(response.headers.get('access-control-allow-headers')).toBe('x-api-key,content-type')
      expect(response.headers.get('access-control-allow-methods')).toBe(
        'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
      )
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
      expect(lines).toEqual([])
    },
  )
})
