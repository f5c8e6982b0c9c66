import { type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync } as const

interface Received {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** As it was sent. */
  readonly bytes: Buffer
}

interface Asked {
  readonly path: string
  readonly accept?: string
  readonly query?: string
}

let app: TestApp
let key: string
beforeAll(async () => {
  app = await startTestApp(quickestDatabase())
  key = await app.newKey({ tier: 'enterprise' })
})
afterAll(() => app?.close())

/** By node:http, which decodes nothing. */
function ask({ path, accept = '*/*', query }: Asked, encoding: string, more = {}): Promise<Received> {
  const headers = { 'x-api-key': key, accept, 'accept-encoding': encoding, ...more }
  const isPost = query !== undefined
  return new Promise((resolve, reject) => {
    const type = isPost ? { 'content-type': 'application/json' } : {}
    const options = { method: isPost ? 'POST' : 'GET', headers: { ...headers, ...type } }
    const outgoing = request(app.url + path, options, (response) => {
      buffer(response).then(
        (bytes) => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes }),
        reject,
      )
    })
    outgoing.on('error', reject)
    outgoing.end(isPost ? JSON.stringify({ query }) : undefined)
  })
}

function textOf({ headers, bytes }: Received): string {
  const encoding = headers['content-encoding']
  if (encoding === undefined) return bytes.toString()
  if (encoding !== 'br' && encoding !== 'gzip') throw new Error(`not asked for: ${encoding}`)
  return DECODE[encoding](bytes).toString()
}

/** What belongs to one request: its id, what it left of the quota, and whether it came from the cache. */
const lasting = (text: string) =>
  text
    .replaceAll(/"remaining":\d+/g, '"remaining":0')
    .replaceAll('"cache_hit":true', '"cache_hit":false')
    .replaceAll(/"request_id":"[^"]+"/g, '')

const CARDS =
  '{ assets(limit: 50) { data { ticker name tier price_consensus_usd } meta { cache_hit total } } }'

/** [what, request, whether it is cached] */
const ANSWERS: readonly (readonly [string, Asked, boolean])[] = [
  ['REST', { path: '/v1/assets?limit=50' }, true],
  [
    'REST of more than a turn can compress',
    { path: '/v1/assets/bitcoin/ohlcv?limit=1000&from=2025-11-21' },
    true,
  ],
  ['GraphQL by POST', { path: '/graphql', query: CARDS }, true],
  ['GraphQL by GET', { path: `/graphql?query=${encodeURIComponent(CARDS)}` }, true],
  [
    'GraphQL of the newer type',
    { path: '/graphql', query: CARDS, accept: 'application/graphql-response+json' },
    true,
  ],
  ['CSV', { path: '/v1/forex?quote=USD&from=2026-01-01', accept: 'text/csv' }, false],
  ['NDJSON', { path: '/v1/forex?quote=USD&from=2026-01-01', accept: 'application/x-ndjson' }, false],
]

describe('a compressed answer', () => {
  it.each(ANSWERS)(
    'of %s equals the plain one, computed and from the cache',
    async (_what, asked, isCached) => {
      for (const encoding of ['br', 'gzip'] as const) {
        // Another query string, so that the first of each coding is made.
        const own = { ...asked, ...(asked.query ? { query: `${asked.query} # ${encoding}` } : {}) }
        const answers = [
          await ask(own, encoding),
          await ask(own, encoding),
          await ask(own, 'identity'),
          await ask(own, encoding),
        ]
        expect(answers.map(({ status, headers }) => [status, headers['content-encoding']])).toEqual([
          [200, encoding],
          [200, encoding],
          [200, undefined],
          [200, encoding],
        ])
        const [first, ...others] = answers.map(textOf)
        expect(first?.length).toBeGreaterThan(1_024)
        for (const other of others) expect(lasting(other)).toBe(lasting(first ?? ''))
        if (!isCached) continue
        const [, second, plain, third] = answers
        // Both from the cache within a second of a clock that does not move: the same bytes but for the cost.
        expect(others.every((text) => !text.includes('"cache_hit":false'))).toBe(true)
        expect(textOf(third as Received)).toBe(
          textOf(plain as Received).replace(
            /"remaining":\d+/,
            /"remaining":\d+/.exec(others[2] ?? '')?.[0] ?? '',
          ),
        )
        expect(Number(second?.headers['content-length'])).toBe(second?.bytes.length)
        expect(second?.headers.etag).toBe(plain?.headers.etag)
      }
    },
  )

  it('is smaller, and varies by the accepted codings', async () => {
    const asked = { path: '/v1/assets?limit=100' }
    const plain = await ask(asked, 'identity')
    for (const encoding of ['br', 'gzip']) {
      const { headers, bytes } = await ask(asked, encoding)
      expect(bytes.length).toBeLessThan(plain.bytes.length / 3)
      expect(headers.vary).toContain('Accept-Encoding')
    }
    expect(plain.headers.vary).toContain('Accept-Encoding')
  })

  it('keeps its age up to date', async () => {
    const asked = { path: '/v1/assets?limit=40' }
    const ageOf = (received: Received) =>
      Number(/"data_freshness_seconds":(\d+)/.exec(textOf(received))?.[1] ?? Number.NaN)
    const first = ageOf(await ask(asked, 'br'))
    await ask(asked, 'br')
    app.clock.advance(7_000)
    expect(ageOf(await ask(asked, 'br'))).toBe(first + 7)
    expect(ageOf(await ask(asked, 'gzip'))).toBe(first + 7)
  })

  it('is revalidated by the tag of the plain one, without body and coding', async () => {
    const asked = { path: '/v1/assets?limit=60' }
    const { etag } = (await ask(asked, 'identity')).headers
    const again = await ask(asked, 'br', { 'if-none-match': etag ?? '' })
    expect([again.status, again.bytes.length, again.headers['content-encoding']]).toEqual([304, 0, undefined])
  })

  it('is not sent for a short answer or without an accepted coding', async () => {
    const short = await ask({ path: '/v1/assets/bitcoin?' }, 'deflate')
    expect(short.headers['content-encoding']).toBeUndefined()
    const refusal = await ask({ path: '/v1/assets/nothing' }, 'br')
    expect([refusal.status, refusal.headers['content-encoding']]).toEqual([404, undefined])
  })
})

describe('If-None-Match: *', () => {
  const ask304 = (path: string, headers = {}, method = 'GET') =>
    app.rest(path, { key, method, headers: { 'if-none-match': '*', ...headers } })

  it.each([
    '/v1/assets?limit=17',
    '/v1/assets/bitcoin',
    '/v1/forex?quote=AUD',
    '/v1/assets/bitcoin/ohlcv?limit=3',
    `/graphql?query=${encodeURIComponent('{ forex(quote: "AUD") { rows } }')}`,
  ])('is a 304 free of charge, whether the response is cached or not: %s', async (path) => {
    const usedOf = async () => {
      const { body } = await app.rest<{ policies: readonly { used: number }[] }>('/v1/usage', { key })
      return body.policies[0]?.used ?? Number.NaN
    }
    const before = await usedOf()
    for (const answer of [await ask304(path), await ask304(path), await ask304(path, {}, 'HEAD')]) {
      expect([answer.status, answer.text]).toEqual([304, ''])
      expect(answer.headers.get('etag')).toMatch(/^W\/"/)
    }
    expect(await usedOf()).toBe(before)
    const whole = await app.rest(path, { key })
    expect([whole.status, await usedOf()]).toEqual([200, before + 1])
  })

  it.each([
    ['/v1/assets/nothing', 404],
    ['/v1/assets?limit=0', 422],
    ['/v1/asets', 404],
  ])('gives no 304 for a missing resource: %s is %i', async (path, status) => {
    expect((await ask304(path)).status).toBe(status)
  })
})
