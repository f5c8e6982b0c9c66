import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ASSET_PATHS } from '../../../src/gateway/pages/page-assets.js'
import { guidePath } from '../../../src/gateway/pages/page-html.js'
import { GUIDES } from '../../../src/generated/page-assets/guides.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { openEventStream } from '../../support/peers/event-stream.js'

/** One gateway as it comes, and one behind TLS that lets one origin in. */
let open: TestApp
let strict: TestApp
let keys: ReadonlyMap<TestApp, string>

const ORIGIN = 'https://app.example'

beforeAll(async () => {
  open = await startTestApp(quickestDatabase())
  strict = await startTestApp(quickestDatabase(), {
    database: open.database,
    clock: open.clock,
    env: { PUBLIC_URL: 'https://gateway.example', CORS_ORIGINS: `${ORIGIN},https://two.example` },
  })
  const key = await open.newKey({ tier: 'enterprise', grants: ['admin'] })
  keys = new Map([open, strict].map((app) => [app, key]))
})
afterAll(async () => {
  await strict?.close()
  await open?.close()
})

const HTML = { accept: 'text/html' }
const JSON_BODY = { 'content-type': 'application/json' }

interface Kind {
  readonly what: string
  readonly path: string
  readonly status: number
  /** The status for a script of another site: pages that contain the demo key are not served to it. */
  readonly foreign?: number
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Asked without the key. */
  readonly isAnonymous?: boolean
  readonly isPage?: boolean
}

const KINDS: readonly Kind[] = [
  { what: 'data', path: '/v1/assets?limit=1', status: 200 },
  { what: 'a HEAD', path: '/v1/assets?limit=1', method: 'HEAD', status: 200 },
  { what: 'an export as CSV', path: '/v1/assets.csv?limit=1', status: 200 },
  { what: 'an export as NDJSON', path: '/v1/assets.ndjson?limit=1', status: 200 },
  {
    what: 'what has not changed',
    path: '/v1/assets?limit=1',
    headers: { 'if-none-match': '*' },
    status: 304,
  },
  { what: 'a price', path: '/v1/assets', headers: { 'x-dry-run': 'cost' }, status: 200 },
  { what: 'the published operations', path: '/v1/operations', status: 200 },
  { what: 'a broken path', path: '/v1/assets/%ff', status: 400 },
  { what: 'no key', path: '/v1/assets', isAnonymous: true, status: 401 },
  { what: 'a path that is not there', path: '/nothing', status: 404 },
  { what: 'a route that is not there', path: '/v1/nothing', status: 404 },
  { what: 'an asset that is not there', path: '/v1/assets/nothing', status: 404 },
  { what: 'a method that is not taken', path: '/v1/assets', method: 'PUT', status: 405 },
  { what: 'a type that is not given', path: '/v1/assets', headers: { accept: 'image/png' }, status: 406 },
  {
    what: 'a body that is too large',
    path: '/auth/login',
    method: 'POST',
    headers: JSON_BODY,
    body: ' '.repeat(3_000_000),
    status: 413,
  },
  { what: 'a body of another type', path: '/auth/login', method: 'POST', body: 'a=b', status: 415 },
  { what: 'arguments that are wrong', path: '/v1/assets?limit=0', status: 422 },
  {
    what: 'GraphQL',
    path: '/graphql',
    method: 'POST',
    headers: JSON_BODY,
    body: '{"query":"{ __typename }"}',
    status: 200,
  },
  {
    what: 'GraphQL that is wrong',
    path: '/graphql',
    method: 'POST',
    headers: { ...JSON_BODY, accept: 'application/graphql-response+json' },
    body: '{"query":"{ nothing }"}',
    status: 400,
  },
  { what: 'a preflight', path: '/v1/assets', method: 'OPTIONS', status: 204 },
  { what: 'health', path: '/healthz', status: 200 },
  { what: 'readiness', path: '/readyz', status: 200 },
  { what: 'the OpenAPI document', path: '/openapi.json', status: 200 },
  { what: 'the public keys', path: '/.well-known/jwks.json', status: 200 },
  { what: 'the links in JSON', path: '/', status: 200 },
  { what: 'the landing page', path: '/', headers: HTML, isPage: true, status: 200 },
  { what: 'the GraphQL explorer', path: '/graphql', headers: HTML, isPage: true, status: 200, foreign: 400 },
  { what: 'the documentation', path: '/docs', headers: HTML, isPage: true, status: 200, foreign: 404 },
  {
    what: 'a link that does not work',
    path: '/newsletter/confirm?token=x',
    headers: HTML,
    isPage: true,
    status: 422,
  },
  ...GUIDES.map((guide) => ({
    what: `the guide ${guide.name}`,
    path: guidePath(guide),
    isPage: true,
    status: 200,
  })),
  ...Object.values(ASSET_PATHS).map((path) => ({ what: 'an asset', path, status: 200 })),
]

function ask(app: TestApp, kind: Kind, headers: Readonly<Record<string, string>> = {}) {
  const key = kind.isAnonymous ? {} : { 'x-api-key': keys.get(app) ?? '' }
  return fetch(app.url + kind.path, {
    method: kind.method ?? 'GET',
    headers: { ...key, ...kind.headers, ...headers },
    ...(kind.body === undefined ? {} : { body: kind.body }),
  })
}

/** Nothing says what runs here, and each value is sent once. */
function expectCommon(response: Response): void {
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/)
  for (const name of ['server', 'x-powered-by', 'access-control-allow-credentials', 'set-cookie'])
    expect(response.headers.get(name), name).toBeNull()
}

describe.each(KINDS)('$what: $method $path', (kind) => {
  it('has the headers of every reply', async () => {
    const response = await ask(open, kind)
    expect(response.status).toBe(kind.status)
    expectCommon(response)
    expect(response.headers.get('strict-transport-security')).toBeNull()
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    if (kind.isPage) expectPage(response, await response.text())
    else await response.body?.cancel()
  })

  it('requires TLS if clients use it, and is readable by pages of the configured origins only', async () => {
    for (const [origin, allowed] of [
      [ORIGIN, ORIGIN],
      ['https://evil.example', null],
      ['null', null],
      [`${ORIGIN}.evil.example`, null],
    ] as const) {
      const response = await ask(strict, kind, { origin })
      await response.body?.cancel()
      expect(response.status).toBe(kind.foreign ?? kind.status)
      expectCommon(response)
      expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000')
      expect(response.headers.get('access-control-allow-origin')).toBe(allowed)
      expect(response.headers.get('vary')?.split(/, */)).toContain('Origin')
    }
  })
})

/** No script and no handler in the page, none from elsewhere, no frame around it. */
function expectPage(response: Response, text: string): void {
  const policy = response.headers.get('content-security-policy') ?? ''
  const directive = (name: string) => policy.split('; ').find((part) => part.startsWith(`${name} `))
  expect(directive('script-src') ?? directive('default-src')).toMatch(
    /^(script-src 'self'|default-src 'none')$/,
  )
  expect(directive('frame-ancestors')).toBe("frame-ancestors 'none'")
  expect(directive('base-uri')).toBe("base-uri 'none'")
  expect(response.headers.get('x-frame-options')).toBe('DENY')
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(text).toContain('<html')
  // Data for a script is no script: the policy lets none run.
  for (const [tag] of text.matchAll(/<script\b[^>]*>/g))
    expect(tag).toMatch(/ src="\/docs\/assets\/| type="application\/json"/)
  expect(text).not.toMatch(/<[^>]+\son\w+\s*=/i)
  expect(text).not.toMatch(/(href|src|action)="\s*javascript:/i)
}

describe('the headers of refusals and streams', () => {
  it('are on an event stream', async () => {
    const key = keys.get(strict) ?? ''
    const stream = await openEventStream(strict.url, 'subscription { ai_analysis_changes { cursor } }', key)
    expect(stream.response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expectCommon(stream.response)
    expect(stream.response.headers.get('strict-transport-security')).toBe('max-age=31536000')
    stream.kill()
  })

  it('are on a 429 and a 503', async () => {
    const app = await startTestApp(quickestDatabase(), {
      database: open.database,
      clock: open.clock,
      env: { BURST_PER_MINUTE: '1', TRUST_PROXY: 'true' },
    })
    try {
      const get = (path: string) => fetch(app.url + path, { headers: { 'x-forwarded-proto': 'https' } })
      await get('/v1/assets')
      const refused = await get('/v1/assets')
      app.drain()
      const unready = await get('/readyz')
      expect([refused.status, unready.status]).toEqual([429, 503])
      for (const response of [refused, unready]) {
        expectCommon(response)
        expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000')
      }
      const minute = String(Math.ceil((app.clock.now().getTime() + 1) / 60_000) * 60)
      const shown = ['limit', 'remaining', 'reset'].map((name) => refused.headers.get(`x-ratelimit-${name}`))
      expect(shown).toEqual(['1', '0', minute])
      const ofKey = await app.rest<Record<string, unknown>>('/v1/assets', {
        key: await app.newKey({ tier: 'free' }),
      })
      expect([ofKey.status, ofKey.headers.get('x-ratelimit-reset')]).toEqual([429, minute])
      expect(ofKey.body).not.toHaveProperty('upgrade_url')
    } finally {
      await app.close()
    }
  })

  it('do not require TLS if the proxy is not trusted or used http', async () => {
    const untrusted = await fetch(`${open.url}/healthz`, { headers: { 'x-forwarded-proto': 'https' } })
    expect(untrusted.headers.get('strict-transport-security')).toBeNull()
    const app = await startTestApp(quickestDatabase(), {
      database: open.database,
      env: { TRUST_PROXY: 'true' },
    })
    try {
      for (const proto of ['http', 'http,https', '']) {
        const response = await fetch(`${app.url}/healthz`, { headers: { 'x-forwarded-proto': proto } })
        expect(response.headers.get('strict-transport-security')).toBeNull()
      }
    } finally {
      await app.close()
    }
  })
})
