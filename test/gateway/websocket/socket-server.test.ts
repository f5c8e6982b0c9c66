import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/time.js'
import { UnsentBytes } from '../../../src/gateway/http/connection/unsent-bytes.js'
import { createSocketServer } from '../../../src/gateway/websocket/socket-server.js'
import { createLogger } from '../../../src/platform/logger.js'
import type { Exchange } from '../../../src/platform/request/exchange.js'
import type { Principal } from '../../../src/policy/principal.js'
import { eventually } from '../../support/eventually.js'
import { RawSocket } from '../../support/peers/socket-client.js'
import { type Listening, listen } from '../../support/peers/sockets.js'

const CALLER = {
  kind: 'key',
  keyId: 'key',
  accountId: 'account',
  tier: 'pro',
  scopes: new Set(),
} as unknown as Principal // all that a connection asks of it is its account

describe('a WebSocket server', () => {
  let server: Listening | null = null
  afterEach(() => server?.close())

  const start = async (
    body: (exchange: Exchange) => AsyncIterable<Uint8Array>,
    { isDraining = false, framesPerMinute = 1_000, unsent = new UnsentBytes() } = {},
  ) => {
    const sockets = createSocketServer({
      handle: async (exchange, problem) =>
        problem === null
          ? { status: 200, headers: [], body: body(exchange) }
          : { status: problem.status, headers: ['x-request-id', exchange.requestId], body: problem.message },
      authenticate: () => CALLER,
      clock: systemClock,
      log: createLogger('silent', { write: () => {} }),
      isDraining: () => isDraining,
      unsent,
      hashAddress: () => 'origin',
      corsOrigins: new Set(['https://app.example']),
      framesPerMinute,
      pingMs: 100,
      initMs: 100,
    })
    server = await listen(() => {}, sockets.upgrades)
    return server.url
  }

  it('closes connections that do not authenticate', async () => {
    const url = await start(async function* () {})
    expect(await new RawSocket(url).closed).toMatchObject({ code: 4408 })
  })

  it('computes no more than a reader takes, and cuts off one that reads nothing', async () => {
    let made = 0
    let isOver = () => {}
    const over = new Promise<void>((resolve) => {
      isOver = resolve
    })
    const chunk = Buffer.from(JSON.stringify({ data: { text: 'x'.repeat(100_000) } }))
    const url = await start(async function* ({ signal }) {
      signal.addEventListener('abort', () => isOver())
      while (!signal.aborted) {
        made += 1
        yield chunk
      }
    })
    const reader = await new RawSocket(url).initialised('any')
    const [socket] = [reader.socket]
    socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: 'subscription { a }' } }))
    await reader.next()
    socket.pause()
    await over
    // What the buffers of the system hold: without a bound it would be made for as long as it lives.
    expect(made).toBeLessThan(500)
    socket.terminate()
  })

  it('cuts off a reader whose unsent messages exceed the limit of its address', async () => {
    const unsent = new UnsentBytes({ perAddress: 2 ** 19 + 1_000, inAll: 2 ** 24 })
    const text = Buffer.from(JSON.stringify({ data: { text: 'x'.repeat(2 ** 19) } }))
    const one = async function* () {
      yield text
    }
    const reader = await new RawSocket(await start(one, { unsent })).initialised('any')
    reader.socket.pause()
    for (let id = 0; id < 20; id++)
      reader.send({ type: 'subscribe', id: String(id), payload: { query: 'subscription { a }' } })
    await eventually(() => expect(unsent.cuts).toBeGreaterThan(0))
    expect(unsent.bytes).toBeLessThanOrEqual(2 ** 19 + 1_000)
    reader.socket.terminate()
  })

  it('accepts pages of the allowed origins, and its own', async () => {
    const url = await start(async function* () {})
    const from = (origin: string) => new RawSocket(url, undefined, { origin })
    for (const origin of ['https://app.example', url])
      expect((await from(origin).opened()).socket.protocol).toBe('graphql-transport-ws')
    for (const origin of ['https://other.example', 'null'])
      expect((await from(origin).closed).code).toBe(1006)
  })

  it.each([
    ['of a page that may not connect', 403, { origin: 'https://other.example' }, {}],
    ['while the gateway stops', 503, {}, { isDraining: true }],
    ['of an address that sends too much', 429, {}, { framesPerMinute: 0 }],
  ])('answers an upgrade %s like any refused request', async (_when, status, headers, options) => {
    const url = await start(async function* () {}, options)
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'x-request-id': 'refused-upgrade' }
    const asked = request(`${url}/graphql`, { headers: { ...upgrade, ...headers } }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(status)
    expect(response.headers).toMatchObject({ 'x-request-id': 'refused-upgrade', connection: 'close' })
    expect(await text(response)).not.toBe('')
    expect(response.socket.destroyed || (await once(response.socket, 'close'))).toBeTruthy()
  })

  it('counts pongs as messages of the client, except answers to its own pings', async () => {
    const url = await start(async function* () {}, { framesPerMinute: 6 })
    const client = await new RawSocket(url).initialised('any')
    for (let pings = 0; pings < 8; pings++) await once(client.socket, 'ping')
    expect(client.socket.readyState).toBe(client.socket.OPEN)
    for (let count = 0; count < 10; count++) client.socket.pong()
    expect(await client.closed).toMatchObject({ code: 4429 })
  })

  it('keeps a quiet connection whose client answers pings', async () => {
    const url = await start(async function* () {})
    const client = await new RawSocket(url).initialised('any')
    for (let pings = 0; pings < 4; pings++) await once(client.socket, 'ping')
    client.send({ type: 'ping' })
    expect(await client.next()).toEqual({ type: 'pong' })
    client.socket.close()
  })
})
