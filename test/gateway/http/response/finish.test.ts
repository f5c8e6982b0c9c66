import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Registry } from 'prom-client'
import { beforeEach, describe, expect, it } from 'vitest'
import { Meter } from '../../../../src/gateway/http/limits/meter.js'
import { newProgress, type Progress } from '../../../../src/gateway/http/progress.js'
import { createAccessLog } from '../../../../src/gateway/http/response/access-log.js'
import { finish } from '../../../../src/gateway/http/response/finish.js'
import { OpenStreams } from '../../../../src/gateway/http/response/open-streams.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { BurstGuard } from '../../../../src/platform/quota/burst-guard.js'
import type { Counters } from '../../../../src/platform/quota/counters.js'
import type { Reply } from '../../../../src/platform/request/exchange.js'
import type { Caller } from '../../../../src/policy/principal.js'
import { exchangeOf, type Sent } from '../../../support/app/transport.js'

const NOW = new Date('2026-11-20T12:20:00Z')
const JSON_TYPE = ['content-type', 'application/json; charset=utf-8'] as const
/** As long as a body must be to be compressed. */
const LONG = `{"text":"${'market data '.repeat(100)}"}`

const CALLER: Caller = {
  kind: 'key',
  accountId: '00000000-0000-4000-8000-000000000001',
  meterId: 'meter',
  keyId: '00000000-0000-4000-8000-000000000002',
  tier: 'free',
  scopes: new Set(),
  isNarrowed: false,
  endsAt: null,
  contract: null,
}

const lines: string[] = []
const log = createLogger('info', { write: (line: string) => void lines.push(line) })
beforeEach(() => {
  lines.length = 0
})

const usage = { record: () => {}, takeBack: () => {}, flush: async () => {}, close: async () => {} }
const accessLog = createAccessLog({ metrics: new Registry(), log })

/** Nothing was ever used. */
const COUNTERS: Counters = {
  consume: () => ({ accepted: true, used: [0, 0] }),
  refund: () => {},
  peek: (charges) => charges.map(() => 0),
  close: async () => {},
}

function meterOver(counters: Counters): Meter {
  return new Meter({ counters, usage, burst: new BurstGuard() })
}

interface Finishing {
  readonly path?: string
  readonly sent?: Sent
  readonly reply?: Partial<Reply>
  readonly progress?: Partial<Progress>
  readonly counters?: Counters
}

async function finished({ path = '/v1/assets', sent, reply, progress, counters }: Finishing) {
  const exchange = exchangeOf(path, sent, log, NOW)
  const known: Progress = {
    ...newProgress(),
    transport: 'rest',
    ...progress,
  }
  const given: Reply = { status: 200, headers: JSON_TYPE, body: '{}', ...reply }
  const meter = meterOver(counters ?? COUNTERS)
  const result = await finish(exchange, known, given, {
    meter,
    accessLog,
    streams: new OpenStreams(),
    receipts: () => null,
    corsOrigins: 'any',
    transportSecurity: () => [],
  })
  const headers = new Headers()
  for (let at = 0; at < result.headers.length; at += 2)
    headers.append(result.headers[at] ?? '', result.headers[at + 1] ?? '')
  return { ...result, headers, requestId: exchange.requestId }
}

const accepting = (encoding: string, reply: Partial<Reply> = { body: LONG }, method = 'GET') =>
  finished({ sent: { method, headers: { 'accept-encoding': encoding } }, reply })

describe('every response', () => {
  it('carries the request id, and has one line in the log by the same id', async () => {
    const { headers, requestId } = await finished({ reply: { status: 404 } })
    expect(headers.get('x-request-id')).toBe(requestId)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'request', request_id: requestId, method: 'GET', path: '/v1/assets', status: 404 },
    ])
  })

  it('states what it varies by, including a named origin', async () => {
    const plain = await finished({})
    expect(plain.headers.get('vary')).toBe('Accept, X-API-Key, Authorization, Accept-Encoding, Prefer')
    const fromPage = await finished({ sent: { headers: { origin: 'https://app.example' } } })
    expect(fromPage.headers.get('vary')).toBe(
      'Accept, X-API-Key, Authorization, Accept-Encoding, Prefer, Origin',
    )
  })

  it('can be read by a page of any origin, with its headers but never with cookies', async () => {
    const { headers } = await finished({ sent: { headers: { origin: 'https://app.example' } } })
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    const exposed = headers.get('access-control-expose-headers')?.split(', ')
    expect(exposed).toEqual(
      expect.arrayContaining(['RateLimit', 'X-RateLimit-Remaining', 'Retry-After', 'ETag', 'Link']),
    )
    expect((await finished({})).headers.has('access-control-allow-origin')).toBe(false)
  })

  it.each([
    ['/auth/me', 200],
    ['/auth/login', 401],
    ['/auth/nothing', 404],
    ['/auth', 404],
  ])('below /auth is never stored: %s with %i', async (path, status) => {
    const { headers } = await finished({ path, reply: { status } })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('elsewhere keeps its own Cache-Control', async () => {
    const kept = await finished({ reply: { headers: [...JSON_TYPE, 'cache-control', 'private, max-age=9'] } })
    expect(kept.headers.get('cache-control')).toBe('private, max-age=9')
    expect((await finished({})).headers.has('cache-control')).toBe(false)
  })
})

describe('the limits of the caller', () => {
  it('are on every response to the caller, including refusals, and on no other', async () => {
    for (const status of [200, 404, 429, 500]) {
      const { headers } = await finished({ reply: { status }, progress: { principal: CALLER } })
      expect([status, headers.get('x-ratelimit-remaining'), headers.get('ratelimit')]).toEqual([
        status,
        '14',
        '"hour";r=14;t=2400, "month";r=10000;t=906000',
      ])
    }
    expect((await finished({})).headers.has('ratelimit')).toBe(false)
  })

  it('are omitted with a log line while the counters do not answer', async () => {
    const broken: Counters = { ...COUNTERS, peek: () => Promise.reject(new Error('no counters')) }
    const { status, headers } = await finished({ progress: { principal: CALLER }, counters: broken })
    expect([status, headers.has('ratelimit')]).toEqual([200, false])
    expect(lines.filter((line) => line.includes('no counters'))).toHaveLength(1)
  })
})

describe('a page', () => {
  it('carries the request id, and no caller data', async () => {
    const { headers, requestId } = await finished({ path: '/docs', progress: { transport: 'pages' } })
    expect(headers.get('x-request-id')).toBe(requestId)
    expect([headers.get('vary'), headers.has('ratelimit')]).toEqual(['Accept-Encoding', false])
  })
})

describe('compression', () => {
  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
  ] as const)('is done as Accept-Encoding %j prefers: %s', async (header, encoding) => {
    const { headers, body } = await accepting(header)
    expect(headers.get('content-encoding')).toBe(encoding)
    const decode = encoding === 'br' ? brotliDecompressSync : gunzipSync
    expect(Buffer.isBuffer(body) && decode(body).toString()).toBe(LONG)
  })

  it.each(['identity', 'gzip;q=0', 'br;q=0, gzip;q=0', 'deflate', '*;q=0', ''])(
    'is left out for Accept-Encoding %j',
    async (header) => {
      const { headers, body } = await accepting(header)
      expect([headers.has('content-encoding'), body]).toEqual([false, LONG])
    },
  )

  it('is skipped below 1 kB', async () => {
    const short = await accepting('gzip', { body: 'x'.repeat(1_023) })
    const long = await accepting('gzip', { body: 'x'.repeat(1_024) })
    expect([short, long].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip'])
  })

  it.each([
    ['application/json; charset=utf-8', true],
    ['application/problem+json', true],
    ['application/graphql-response+json; charset=utf-8', true],
    ['application/x-ndjson; charset=utf-8', true],
    ['text/csv; charset=utf-8; header=present', true],
    ['text/html; charset=utf-8', true],
    ['text/event-stream', false],
    ['image/png', false],
    ['application/octet-stream', false],
  ])('of %s: %s', async (type, isDone) => {
    const { headers } = await accepting('br', { headers: ['content-type', type], body: LONG })
    expect(headers.has('content-encoding')).toBe(isDone)
  })

  it('is skipped for compressed content, and without a type or a body', async () => {
    const already = [...JSON_TYPE, 'content-encoding', 'zstd']
    expect((await accepting('br', { headers: already, body: LONG })).headers.get('content-encoding')).toBe(
      'zstd',
    )
    expect((await accepting('br', { headers: [], body: LONG })).headers.has('content-encoding')).toBe(false)
    const none = await accepting('br', { status: 304, headers: [], body: null })
    expect([none.headers.has('content-encoding'), none.body]).toEqual([false, null])
  })

  it('is only announced to HEAD, without compressing or inventing a length', async () => {
    const asked: string[] = []
    const encoded = (encoding: string) => {
      asked.push(encoding)
      return Buffer.from('compressed')
    }
    const { headers, body } = await accepting('br', { body: LONG, encoded }, 'HEAD')
    expect([headers.get('content-encoding'), body, asked]).toEqual(['br', null, []])
    const plain = await accepting('identity', { body: LONG, encoded }, 'HEAD')
    expect([plain.headers.has('content-encoding'), plain.body]).toEqual([false, LONG])
  })

  it('leaves the end of a HEAD stream to the sender of its headers', async () => {
    async function* chunks() {
      yield Buffer.from('one')
    }
    const body = chunks()
    const head = await accepting('gzip', { headers: ['content-type', 'text/csv'], body }, 'HEAD')
    expect([head.headers.get('content-encoding'), head.body]).toEqual(['gzip', body])
  })

  it('uses the compressed form of a response that has one', async () => {
    const asked: string[] = []
    const reply: Partial<Reply> = {
      body: Buffer.from(LONG),
      encoded: (encoding) => {
        asked.push(encoding)
        return Promise.resolve(Buffer.from(`as ${encoding}`))
      },
    }
    const { headers, body } = await accepting('gzip', reply)
    expect([headers.get('content-encoding'), String(body)]).toEqual(['gzip', 'as gzip'])
    expect((await accepting('identity', reply)).headers.has('content-encoding')).toBe(false)
    expect(asked).toEqual(['gzip'])
  })

  it('is applied to a stream while it is read, whatever its length', async () => {
    async function* chunks() {
      yield Buffer.from('one,')
      yield Buffer.from('two')
    }
    const { headers, body } = await accepting('gzip', {
      headers: ['content-type', 'text/csv'],
      body: chunks(),
    })
    expect(headers.get('content-encoding')).toBe('gzip')
    if (body === null || typeof body === 'string' || Buffer.isBuffer(body)) throw new Error('no stream')
    expect(gunzipSync(await buffer(body)).toString()).toBe('one,two')
  })
})
