import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_ANONYMOUS_BYTES, MAX_BODY_BYTES } from '../../../../src/gateway/http/connection/read-body.js'
import { createListener } from '../../../../src/gateway/http/node.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import { quickestDatabase } from '../../../support/database/database.js'
import { type Listening, listen, sendRaw } from '../../../support/peers/sockets.js'

interface Answer {
  readonly status: number
  readonly text: string
  readonly port: number | undefined
}

interface Sending {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | number>>
  readonly agent?: Agent
  /** Written one after the other, with a pause between. */
  readonly chunks?: readonly (string | Buffer)[]
  readonly pauseMs?: number
}

function send(
  url: string,
  { chunks = [], pauseMs = 0, method = 'POST', path = '/', headers = {}, agent }: Sending,
) {
  return new Promise<Answer>((resolve, reject) => {
    const options = { method, headers: { ...headers }, ...(agent ? { agent } : {}) }
    const outgoing = request(url + path, options, (response) => {
      let text = ''
      const port = response.socket.localPort
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, port }))
      response.on('error', reject)
    })
    outgoing.on('error', reject)
    void (async () => {
      for (const chunk of chunks) {
        outgoing.write(chunk)
        if (pauseMs > 0) await sleep(pauseMs)
      }
      outgoing.end()
    })()
  })
}

const CHUNKED = { 'transfer-encoding': 'chunked' }

describe('a body', () => {
  let server: Listening
  let url: string
  let passed = 0
  beforeAll(async () => {
    const listener = createListener(
      async ({ body }, problem) => {
        if (problem !== null) return { status: problem.status, headers: [], body: 'too large' }
        passed += 1
        const text = body === null ? 'none' : `${body.length}:${body.subarray(0, 5)}`
        return { status: 200, headers: [], body: text }
      },
      {
        clock: { now: () => new Date() },
        log: createLogger('fatal', { write: () => {} }),
        hashAddress: () => 'test',
        isDraining: () => false,
      },
    )
    server = await listen(listener)
    url = server.url
  })
  afterAll(() => server.close())

  const filled = (bytes: number) => Buffer.alloc(bytes, 'x')

  /** The limits with a credential of either kind, and without one. */
  const LIMITS = [
    ['with a key', MAX_BODY_BYTES, { 'x-api-key': 'any' }],
    ['with a token', MAX_BODY_BYTES, { authorization: 'Bearer any' }],
    ['without a credential', MAX_ANONYMOUS_BYTES, {}],
  ] as const

  it.each(
    LIMITS.flatMap(([who, most, credential]) => [
      ['declared', who, most, credential] as const,
      ['chunked', who, most, { ...credential, ...CHUNKED }] as const,
    ]),
  )('passes a %s body of exactly the limit %s as one buffer', async (_how, _who, most, headers) => {
    const { status, text } = await send(url, { headers, chunks: [filled(most - 5), 'xxxxx'] })
    expect([status, text]).toEqual([200, `${most}:xxxxx`])
  })

  it.each(
    LIMITS.flatMap(([who, most, credential]) => [
      ['declared', who, most, { ...credential, 'content-length': most + 1 }] as const,
      ['chunked', who, most, { ...credential, ...CHUNKED }] as const,
    ]),
  )(
    'refuses a %s body %s of one byte more, which then is never passed on',
    async (_how, _who, most, headers) => {
      const before = passed
      const { status, text } = await send(url, { headers, chunks: [filled(most), 'y'] })
      expect([status, text]).toEqual([413, 'too large'])
      expect(passed).toBe(before)
    },
  )

  it('refuses a declared length before a byte of the body has arrived', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${MAX_BODY_BYTES + 1}\r\n\r\n`)
    const [answer] = await new Promise<Buffer[]>((resolve) => socket.once('data', (data) => resolve([data])))
    expect(answer?.toString()).toMatch(/^HTTP\/1.1 413 /)
    socket.destroy()
  })

  it('lets a client that keeps writing read its refusal, every time', async () => {
    for (let attempt = 0; attempt < 10; attempt++) {
      const answer = await send(url, {
        headers: { 'content-length': 5_000_000 },
        chunks: [filled(5_000_000)],
      })
      expect(answer.status).toBe(413)
    }
  })

  it('cuts off a client that never stops writing', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const closed = new Promise((resolve) => socket.on('close', resolve))
    socket.on('error', () => {}) // a reset is what is expected
    socket.resume()
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    let written = 0
    for (const chunk = Buffer.alloc(1 << 20, 'x'); !socket.destroyed && written < 200; written += 1) {
      socket.write('100000\r\n')
      if (!socket.write(chunk))
        await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
      socket.write('\r\n')
    }
    await closed
    expect(written).toBeLessThan(200)
  })

  it('waits for a slow body', async () => {
    const { text } = await send(url, {
      headers: CHUNKED,
      chunks: ['slow', 'ly', ' but', ' all'],
      pauseMs: 60,
    })
    expect(text).toBe('14:slowl')
  })

  it.each(['GET', 'HEAD', 'OPTIONS'])('does not read the body of %s', async (method) => {
    const { status } = await send(url, { method })
    expect(status).toBe(200)
  })

  it('passes on an empty body as no body', async () => {
    expect((await send(url, { headers: { 'content-length': 0 } })).text).toBe('none')
  })

  it.each(['POST', 'PUT', 'DELETE'])('does not wait for a body that %s does not announce', async (method) => {
    const { status, body } = await sendRaw(server.port, `${method} / HTTP/1.1`)
    expect([status, body.toString()]).toEqual([200, 'none'])
  })

  it('serves the next request of a connection after a body of any kind', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ports = new Set<number | undefined>()
    for (const [chunks, status] of [
      [['small'], 200],
      [[filled(MAX_BODY_BYTES + 1)], 413],
      [['small'], 200],
      [[], 200],
    ] as const) {
      const answer = await send(url, { agent, headers: CHUNKED, chunks })
      expect(answer.status).toBe(status)
      ports.add(answer.port)
    }
    expect(ports.size).toBe(1)
    agent.destroy()
  })
})

describe('the gateway', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { world: 'empty' })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  const json = () => ({ 'content-type': 'application/json', 'x-api-key': key })
  const operation = (bytes: number) => {
    const text = '{"query":"{ __typename }"}'
    return text + ' '.repeat(bytes - text.length)
  }

  it('runs an operation of exactly the limit and refuses one byte more with an error of GraphQL', async () => {
    const exact = await send(app.url, {
      path: '/graphql',
      headers: json(),
      chunks: [operation(MAX_BODY_BYTES)],
    })
    expect([exact.status, JSON.parse(exact.text)]).toMatchObject([200, { data: { __typename: 'Query' } }])
    const more = await send(app.url, {
      path: '/graphql',
      headers: json(),
      chunks: [operation(MAX_BODY_BYTES + 1)],
    })
    expect([more.status, JSON.parse(more.text)]).toMatchObject([
      413,
      {
        errors: [
          {
            message: `The body is larger than ${MAX_BODY_BYTES} bytes; send a smaller one.`,
            extensions: { code: 'PAYLOAD_TOO_LARGE', request_id: expect.any(String) },
          },
        ],
      },
    ])
  })

  it('reads a chunked body in both styles', async () => {
    const graphql = await send(app.url, {
      path: '/graphql',
      headers: { ...json(), ...CHUNKED },
      chunks: ['{"query":"{ __ty', 'pename }"}'],
      pauseMs: 50,
    })
    expect(JSON.parse(graphql.text)).toMatchObject({ data: { __typename: 'Query' } })
    const rest = await send(app.url, {
      path: '/auth/keys',
      headers: { ...json(), ...CHUNKED },
      chunks: ['{"label":"in', ' pieces"}'],
      pauseMs: 50,
    })
    expect([rest.status, JSON.parse(rest.text)]).toMatchObject([201, { label: 'in pieces' }])
  })

  it('goes on if clients disconnect within their bodies', async () => {
    const { port } = new URL(app.url)
    for (const path of ['/graphql', '/auth/login', '/v1/assets']) {
      for (let client = 0; client < 10; client++) {
        const socket = connect(Number(port), '127.0.0.1')
        await new Promise((resolve) => socket.once('connect', resolve))
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"que`,
        )
        await sleep(2)
        if (client % 2 === 0) socket.destroy()
        else socket.resetAndDestroy()
      }
    }
    const answer = await app.graphql<{ __typename: string }>('{ __typename }', { key })
    expect([answer.status, answer.body.data]).toEqual([200, { __typename: 'Query' }])
    expect((await app.rest('/readyz')).status).toBe(200)
  })
})
