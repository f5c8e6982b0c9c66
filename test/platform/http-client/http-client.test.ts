import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpClient } from '../../../src/platform/http-client/http-client.js'
import { redactUrl } from '../../../src/platform/http-client/redact-url.js'
import { UpstreamError } from '../../../src/platform/http-client/upstream-error.js'
import { waitedMs } from '../../support/waited-ms.js'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

let server: Server
let base: string
let asked: IncomingMessage[]
let handler: Handler
const logged: Record<string, unknown>[] = []
const log = {
  debug: (record: Record<string, unknown>) => logged.push(record),
  warn: (record: Record<string, unknown>) => logged.push(record),
} as unknown as Parameters<typeof createHttpClient>[0]['log'] // pino's overloads, of which one is used

beforeEach(async () => {
  asked = []
  logged.length = 0
  server = createServer((request, response) => {
    asked.push(request)
    handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  base = `http://127.0.0.1:${address.port}`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const client = (nowMs?: () => number) =>
  createHttpClient({ log, userAgent: 'gateway-test/1', ...(nowMs === undefined ? {} : { nowMs }) })
const request = (more: object = {}) => ({
  url: `${base}/x`,
  timeoutMs: 5_000,
  maxBytes: 1_000,
  retries: 0,
  ...more,
})
const text = (body: Uint8Array) => new TextDecoder().decode(body)
/** Answers with these statuses one after the other, the last one from then on. */
const statuses =
  (...list: readonly number[]): Handler =>
  (_, response) => {
    response.statusCode = list[Math.min(asked.length, list.length) - 1] ?? 200
    response.end(`answer ${asked.length}`)
  }
const failure = async (run: Promise<unknown>): Promise<UpstreamError> => {
  const error: unknown = await run.then(
    () => null,
    (reason: unknown) => reason,
  )
  return error instanceof UpstreamError ? error : expect.fail(`no UpstreamError: ${String(error)}`)
}

describe('the HTTP client', () => {
  it('sends method, headers, body and its name, and returns status, headers and bytes', async () => {
    const bodies: string[] = []
    handler = (incoming, response) => {
      incoming.on('data', (chunk: Buffer) => bodies.push(chunk.toString()))
      incoming.on('end', () => response.writeHead(201, { 'x-kind': 'fine' }).end('done'))
    }
    const answer = await client().request(
      request({ method: 'POST', headers: { accept: 'text/csv' }, body: '[1]' }),
    )
    expect([answer.status, answer.headers.get('x-kind'), text(answer.body)]).toEqual([201, 'fine', 'done'])
    expect(asked[0]?.method).toBe('POST')
    expect(asked[0]?.headers).toMatchObject({ 'user-agent': 'gateway-test/1', accept: 'text/csv' })
    expect(bodies).toEqual(['[1]'])
  })

  it.each([400, 401, 404])('leaves %d to the caller without a retry', async (status) => {
    handler = statuses(status)
    expect((await client().request(request({ retries: 3 }))).status).toBe(status)
    expect(asked.length).toBe(1)
  })

  it.each([429, 500, 502, 503, 504])('retries after %d', async (status) => {
    handler = statuses(status, 200)
    expect(text((await client().request(request({ retries: 1 }))).body)).toBe('answer 2')
  })

  it('gives up after the retries and names the last status', async () => {
    handler = statuses(503)
    const error = await failure(client().request(request({ retries: 2 })))
    expect([error.kind, error.status, error.message]).toEqual([
      'status',
      503,
      `${base}/x answered with status 503`,
    ])
    expect(asked.length).toBe(3)
  })

  it('waits as long as the host asks for', async () => {
    handler = (_, response) => {
      if (asked.length === 1) response.writeHead(429, { 'retry-after': '1' }).end()
      else response.end('ok')
    }
    const began = performance.now()
    await client().request(request({ retries: 1 }))
    expect(performance.now() - began).toBeGreaterThanOrEqual(990)
  })

  it('does not wait beyond its budget but reports the required wait', async () => {
    handler = (_, response) => response.writeHead(503, { 'retry-after': '60' }).end()
    const waited = await waitedMs(async () => {
      const error = await failure(client().request(request({ retries: 3 })))
      expect([error.kind, error.retryAfterMs]).toEqual(['status', 60_000])
    })
    expect([asked.length, waited]).toEqual([1, 0])
  })

  it('ends after the time-out, before the head and within the body', async () => {
    handler = () => {}
    expect((await failure(client().request(request({ timeoutMs: 100, retries: 3 })))).kind).toBe('timeout')
    handler = (_, response) => {
      response.write('half')
    }
    const error = await failure(client().request(request({ timeoutMs: 100 })))
    expect([error.kind, error.message]).toEqual(['timeout', `${base}/x did not answer within 100 ms`])
  })

  it('refuses a body over the limit, announced or not', async () => {
    handler = (_, response) => response.end('x'.repeat(1_001))
    expect((await failure(client().request(request({ retries: 3 })))).kind).toBe('too_large')
    expect(asked.length).toBe(1)
    handler = (_, response) => {
      response.write('x'.repeat(600))
      response.end('x'.repeat(600))
    }
    const error = await failure(client().request(request()))
    expect([error.kind, error.message]).toEqual(['too_large', `${base}/x sends more than 1000 bytes`])
    handler = (_, response) => response.end('x'.repeat(1_000))
    expect((await client().request(request())).body.length).toBe(1_000)
  })

  it('reports an unreachable host, also if it closes the connection in the middle', async () => {
    handler = (_, response) => {
      response.write('half')
      setTimeout(() => response.destroy(), 20)
    }
    expect((await failure(client().request(request()))).kind).toBe('unreachable')
    const refused = await failure(client().request(request({ url: 'http://127.0.0.1:1/x' })))
    expect(refused.kind).toBe('unreachable')
  })

  it('pauses a host after 5 failures for 30 s, and then sends one request', async () => {
    const time = { ms: 0 }
    const http = client(() => time.ms)
    handler = statuses(500)
    for (let i = 0; i < 5; i++) await failure(http.request(request()))
    const error = await failure(http.request(request({ retries: 3 })))
    expect([error.kind, error.retryAfterMs]).toEqual(['open_circuit', 30_000])
    expect(asked.length).toBe(5)
    time.ms = 30_000
    handler = statuses(200)
    expect((await http.request(request())).status).toBe(200)
    expect((await http.request(request())).status).toBe(200)
  })

  it('counts the failures of each upstream at one address separately', async () => {
    const http = client()
    handler = statuses(500)
    for (let i = 0; i < 5; i++) await failure(http.request(request({ circuit: 'kraken' })))
    expect((await failure(http.request(request({ circuit: 'kraken' })))).kind).toBe('open_circuit')
    handler = statuses(200)
    expect((await http.request(request({ circuit: 'binance' }))).status).toBe(200)
  })

  it('does not count throttling as a failure of a host', async () => {
    const http = client()
    handler = statuses(429, 429, 429, 429, 429, 429, 200)
    for (let i = 0; i < 6; i++) expect((await failure(http.request(request()))).status).toBe(429)
    expect((await http.request(request())).status).toBe(200)
  })

  it('ends with the caller’s own reason if the caller aborts, also between two attempts', async () => {
    const reason = new Error('no longer needed')
    handler = () => {}
    const waiting = client().request(request({ signal: later(reason) }))
    await expect(waiting).rejects.toBe(reason)
    handler = (_, response) => response.writeHead(503, { 'retry-after': '4' }).end()
    await expect(client().request(request({ retries: 1, signal: later(reason) }))).rejects.toBe(reason)
  })

  it('logs and reports URLs without their secrets', async () => {
    handler = statuses(503)
    const secret = `${base.replace('//', '//user:hunter2@')}/api/ABCDEFGH12345678IJKL/x?apikey=hunter2&page=2`
    await failure(
      client().request(request({ url: `${base}/api/ABCDEFGH12345678IJKL/x?apikey=hunter2&page=2` })),
    )
    expect(JSON.stringify(logged)).toContain('/api/redacted/x?apikey=redacted&page=2')
    expect(JSON.stringify(logged)).not.toContain('hunter2')
    expect(redactUrl(secret)).toBe(`${base}/api/redacted/x?apikey=redacted&page=2`)
  })

  it.each([
    ['https://eth.example/v2/aB3-dE6_gH9jK2mN5pQ8sT1vW4yZ7', 'https://eth.example/v2/redacted'],
    ['https://data.example/static/bulk/WS_LONG_CPI_csv_flat.zip', null],
    ['https://api.example/2026-01-01/effective-exchange-rates', null],
  ])('treats a path segment as a key if it looks like one: %s', (url, redacted) => {
    expect(redactUrl(url)).toBe(redacted ?? url)
  })

  it('returns a redirect as an answer, and follows none, if the caller wants it so', async () => {
    handler = ({ url }, response) =>
      void (url === '/x' ? response.writeHead(307, { location: '/inside' }) : response).end('inside')
    const { status } = await client().request(request({ refusesRedirects: true }))
    expect([status, asked.map(({ url }) => url)]).toEqual([307, ['/x']])
    expect(text((await client().request(request())).body)).toBe('inside')
    expect(asked.map(({ url }) => url)).toEqual(['/x', '/x', '/inside'])
  })
})

function later(reason: Error): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), 100)
  return controller.signal
}

describe('a download', () => {
  const directory = mkdtempSync(join(tmpdir(), 'download-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  const client = createHttpClient({ log, userAgent: 'test/1' })
  const asks = { timeoutMs: 5_000, maxBytes: 1_000_000, retries: 1 }

  it('is written to a file of this user, from the start again if an attempt fails half way', async () => {
    const path = join(directory, 'body')
    handler = (_request, response) => {
      response.writeHead(200, { 'content-length': '600000' })
      response.write(Buffer.alloc(300_000, asked.length === 1 ? 'x' : 'y'))
      if (asked.length === 1) setImmediate(() => response.destroy())
      else response.end(Buffer.alloc(300_000, 'z'))
    }
    expect(await client.download({ url: base, ...asks }, path)).toEqual({ status: 200, bytes: 600_000 })
    expect(asked).toHaveLength(2)
    expect(readFileSync(path, 'utf8')).toBe('y'.repeat(300_000) + 'z'.repeat(300_000))
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('fails if it is too long or cut off', async () => {
    handler = (_request, response) => void response.end(Buffer.alloc(1_000_001))
    const tooLong = client.download({ url: base, ...asks }, join(directory, 'long'))
    await expect(tooLong).rejects.toMatchObject({ kind: 'too_large' })
    handler = (_request, response) => {
      response.writeHead(200, { 'content-length': '600000' })
      response.write('x')
      setImmediate(() => response.destroy())
    }
    const cut = client.download({ url: base, ...asks, retries: 0 }, join(directory, 'cut'))
    await expect(cut).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('a failure as operators see it', () => {
  it('is one warning for all retries, and an open circuit names the first failure', async () => {
    handler = statuses(500)
    const warned: Record<string, unknown>[] = []
    const own = { debug: () => {}, warn: (record: Record<string, unknown>) => warned.push(record) }
    const http = createHttpClient({ log: own as unknown as typeof log, userAgent: 'gateway-test/1' })
    await failure(http.request(request({ retries: 1 })))
    expect(warned).toHaveLength(1)
    for (let call = 0; call < 3; call += 1) await failure(http.request(request()))
    const left = await failure(http.request(request()))
    expect([left.kind, left.message]).toEqual([
      'open_circuit',
      `${base}/x failed repeatedly (status 500); no further requests are sent for a while`,
    ])
    expect(warned).toHaveLength(4)
  })

  it.each([
    ['says nothing at all', (): void => {}],
    [
      'sends headers alone',
      (_: IncomingMessage, response: ServerResponse) => response.writeHead(200).flushHeaders(),
    ],
  ])('abandons a file soon whose server %s', async (_, silent) => {
    handler = silent
    const directory = mkdtempSync(join(tmpdir(), 'first-byte-'))
    const error = await failure(
      client().download(request({ timeoutMs: 20_000, firstByteMs: 100 }), join(directory, 'file')),
    ).finally(() => rmSync(directory, { recursive: true }))
    expect([error.kind, error.message]).toEqual(['timeout', `${base}/x sent nothing within 100 ms`])
  })

  it('does not count the time of a file that has begun', async () => {
    handler = (_, response) => {
      response.write('a')
      setTimeout(() => response.end('b'), 1_500)
    }
    const directory = mkdtempSync(join(tmpdir(), 'first-byte-'))
    const { bytes } = await client()
      .download(request({ firstByteMs: 1_000 }), join(directory, 'file'))
      .finally(() => rmSync(directory, { recursive: true }))
    expect(bytes).toBe(2)
  })
})
