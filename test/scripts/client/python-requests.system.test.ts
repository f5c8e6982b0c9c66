import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { InstalledPythonClient, MAY_RUN_PYTHON_CLIENT } from './installed-python-client.js'

const KEY = 'mdg_live_a-key-that-nobody-may-see'
const ASSET = JSON.stringify({ data: { ticker: 'BTC' } })
const busy = (code: string) => JSON.stringify({ error: code, message: 'later', request_id: 'r' })

/** Runs a call, and prints what it returned or raised, and how long it took. */
const CALL = (call: string, options = '') => `
import time
from market_data_gateway import *
client = Client(${options})
began = time.monotonic()
try:
    print(${call})
except Exception as error:
    print(type(error).__name__, str(error))
print(round(time.monotonic() - began, 1))
`

describe.runIf(MAY_RUN_PYTHON_CLIENT)('requests of the Python client', { timeout: 120_000 }, () => {
  const installed = new InstalledPythonClient()
  const servers: Server[] = []
  const asked: { method: string; url: string; key: string | undefined; socket: number }[] = []
  beforeAll(() => installed.install(), 600_000)
  afterEach(() => {
    for (const server of servers.splice(0)) server.closeAllConnections()
    asked.splice(0)
  })

  /** Runs a program against a gateway that answers like this. Returns its lines. */
  async function runAgainst(
    listener: (...args: [...Parameters<RequestListener>, count: number]) => void,
    program: string,
  ) {
    const server = createServer((request, response) => {
      const { method = '', url = '', headers, socket } = request
      asked.push({
        method,
        url,
        key: headers['x-api-key'] as string | undefined,
        socket: socket.remotePort ?? 0,
      })
      listener(request, response, asked.length)
    }).listen(0, '127.0.0.1')
    servers.push(server)
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo // it listens on a TCP port
    const env = { MARKET_DATA_GATEWAY_URL: `http://127.0.0.1:${port}`, MARKET_DATA_GATEWAY_KEY: KEY }
    return (await installed.start(program, { env })).trim().split('\n')
  }

  it('repeat a read after 429, 503 and a lost connection, and wait for Retry-After', async () => {
    const lines = await runAgainst((_request, response, count) => {
      if (count === 1) response.writeHead(429, { 'retry-after': '1' }).end(busy('rate_limit_exceeded'))
      else if (count === 2) response.destroy()
      else if (count === 3) response.writeHead(503).end(busy('service_unavailable'))
      else response.end(ASSET)
    }, CALL('client.asset("bitcoin").body'))
    expect(lines[0]).toBe("{'data': {'ticker': 'BTC'}}")
    expect(Number(lines[1])).toBeGreaterThanOrEqual(1)
    expect(asked.map(({ method, url, key }) => [method, url, key])).toEqual(
      Array.from({ length: 4 }, () => ['GET', '/v1/assets/bitcoin', KEY]),
    )
  })

  it('raise at once what is refused for longer than the time for all attempts, with the message of the gateway', async () => {
    const lines = await runAgainst(
      (_request, response) =>
        response.writeHead(429, { 'retry-after': '600' }).end(busy('rate_limit_exceeded')),
      CALL('client.asset("bitcoin")'),
    )
    expect(lines[0]).toBe('RateLimitExceededError later (rate_limit_exceeded, 429, request r)')
    expect(asked.length).toBe(1)
  })

  it('never repeat a write without an idempotency key, and repeat one that has it', async () => {
    const lose: RequestListener = (_request, response) => response.destroy()
    const options = 'attempts=2'
    const first = await runAgainst(lose, CALL('client.create_api_key(label="x")', options))
    expect([first[0]?.split(' ')[0], asked.length]).toEqual(['ConnectionFailed', 1])
    asked.splice(0)
    await runAgainst(lose, CALL('client.create_api_key(label="x", idempotency_key="k")', options))
    expect(asked.length).toBe(2)
  })

  it.each<[string, RequestListener]>([
    ['never comes', () => {}],
    [
      'has headers that come byte by byte',
      (_request, { socket }) => {
        socket?.write('HTTP/1.1 200 OK\r\nx-slow: ')
        const timer = setInterval(() => socket?.write('x'), 50)
        socket?.once('close', () => clearInterval(timer))
      },
    ],
    [
      'has a body that comes byte by byte',
      (_request, response) => {
        const timer = setInterval(() => response.write(' '), 50)
        response.once('close', () => clearInterval(timer))
      },
    ],
  ])('end in time if a response %s', async (_name, listener) => {
    const options = 'attempts=1, timeout_seconds=1.0'
    const lines = await runAgainst(listener, CALL('client.asset("bitcoin")', options))
    expect(lines[0]).toMatch(/^ConnectionFailed The (gateway did not respond|response broke off): /)
    expect(Number(lines[1])).toBeLessThan(5)
  })

  it.each<[string, RequestListener, RegExp]>([
    [
      'is shorter than its length',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('{')
        setTimeout(() => response.destroy(), 20)
      },
      /^ConnectionFailed /,
    ],
    [
      'becomes too long when it is decompressed',
      (_request, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(64 * 2 ** 20))),
      /^BoundExceeded The response has more than 1048576 bytes \(max_bytes\)\.$/,
    ],
    [
      'is a compressed text that is cut',
      (_request, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(ASSET).subarray(0, -9)),
      /^ConnectionFailed /,
    ],
    [
      'is the page of a proxy',
      (_request, response) => response.writeHead(502).end('<html>'),
      /^ApiError The response has the status 502\. \(unexpected_answer, 502, /,
    ],
    ['is not JSON', (_request, response) => response.end('<html>'), /^ApiError The response is not JSON\. /],
    [
      'redirects',
      (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      /^ApiError The response has the status 302\. /,
    ],
  ])('raise a clear error if a response %s', async (_name, listener, printed) => {
    const options = 'attempts=1, max_bytes=2**20'
    const lines = await runAgainst(listener, CALL('client.asset("bitcoin")', options))
    expect(lines[0]).toMatch(printed)
    expect(lines.join()).not.toContain(KEY)
  })

  it('never show the key, and refuse one that would break the header', async () => {
    const program = `
import traceback
from market_data_gateway import Client
print(Client(), vars(Client()).keys())
try:
    Client(key="secret-text\\n")
except ValueError:
    print(traceback.format_exc())
`
    const text = (await runAgainst(() => {}, program)).join('\n')
    expect(text).toContain('ValueError: key and token must be printable ASCII')
    expect(text).not.toContain(KEY)
    expect(text).not.toContain('secret-text')
  })

  it('go through all pages by Link, and end a list whose next page is the same', async () => {
    const page = (rows: readonly number[]) => JSON.stringify({ data: rows.map((asset_id) => ({ asset_id })) })
    const link = (offset: number) => ({ link: `</v1/assets?offset=${offset}>; rel="next"` })
    const lines = await runAgainst(
      ({ url }, response) => {
        const offset = Number(new URL(url ?? '', 'http://gateway').searchParams.get('offset') ?? 0)
        if (offset < 4) response.writeHead(200, link(offset + 2)).end(page([offset, offset + 1]))
        else response.writeHead(200, offset === 5 ? link(5) : {}).end(page([offset]))
      },
      `${CALL('[row["asset_id"] for row in client.assets()]')}
from itertools import islice
print([row["asset_id"] for row in islice(client.assets(), 2)])
for read in (lambda: list(client.assets(offset=5)), lambda: list(client.assets().pages(max_pages=2))):
    try:
        print(read())
    except BoundExceeded as error:
        print(error)
`,
    )
    expect(lines.toSpliced(1, 1)).toEqual([
      '[0, 1, 2, 3, 4]',
      '[0, 1]',
      '/v1/assets: the next page is the same as this one.',
      '/v1/assets has more than 2 pages (max_pages).',
    ])
  })

  it('of eight threads and of a forked process share a client, whose connections are reused', async () => {
    const lines = await runAgainst(
      ({ url }, response) => void setTimeout(() => response.end(JSON.stringify({ url })), 5),
      `
import os
from concurrent.futures import ThreadPoolExecutor
from market_data_gateway import Client
client = Client()
slugs = [f"asset-{number}" for number in range(200)]
def ask(slug):
    return client.asset(slug).body["url"] == f"/v1/assets/{slug}"
with ThreadPoolExecutor(8) as threads:
    print(all(threads.map(ask, slugs)), flush=True)
if os.fork() == 0:
    print(all(map(ask, slugs[:20])), flush=True)
    os._exit(0)
print(all(map(ask, slugs[20:40])), os.wait()[1])
`,
    )
    expect(lines.toSorted()).toEqual(['True', 'True', 'True 0'])
    expect(asked.length).toBe(240)
    expect(new Set(asked.map(({ socket }) => socket)).size).toBeLessThanOrEqual(10)
  })

  it('write days, instants, lists and flags as the API reads them, and refuse an instant without a zone', async () => {
    const lines = await runAgainst(
      (_request, response) => response.end('{"data": []}'),
      `
from datetime import date, datetime, timezone
import pandas
from market_data_gateway import Client
client = Client()
client.candles(slugs=["bitcoin", "ethereum"], from_=date(2026, 1, 2), to=pandas.Timestamp("2026-02-01T03:00+01:00")).first()
client.forex(quote="USD", from_=pandas.Timestamp("2026-01-02"), inverse=True).first()
client.forex(quote="USD", from_=datetime(2026, 1, 2, 3, tzinfo=timezone.utc)).first()
for call in (
    lambda: client.candles(from_=datetime(2026, 1, 2, 3)),
    lambda: client.forex(quote="USD", from_=datetime(2026, 1, 2, 3)),
    lambda: client.asset(".."),
):
    try:
        print(call())
    except ValueError as error:
        print(error)
`,
    )
    expect(asked.map(({ url }) => decodeURIComponent(url))).toEqual([
      '/v1/candles?slugs=bitcoin,ethereum&from=2026-01-02T00:00:00Z&to=2026-02-01T02:00:00.000Z&limit=10000',
      '/v1/forex?quote=USD&from=2026-01-02&inverse=true',
      '/v1/forex?quote=USD&from=2026-01-02',
    ])
    expect(lines).toEqual([
      'give 2026-01-02 03:00:00 a time zone, such as tzinfo=timezone.utc',
      'give 2026-01-02 03:00:00 a time zone, such as tzinfo=timezone.utc',
      "id must not be '..'",
    ])
  })
})
