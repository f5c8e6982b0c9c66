import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createListener } from '../../../../src/gateway/http/node.js'
import { createLogger } from '../../../../src/platform/logger.js'
import { startTestApp, type TestApp } from '../../../support/app/app.js'
import { quickestDatabase } from '../../../support/database/database.js'
import { type Listening, listen, sendRaw } from '../../../support/peers/sockets.js'

const MALFORMED_HOST = 'The Host header is malformed.'
const UNSAFE_PATH = 'The path has a dot segment, a backslash or a fragment.'
const NO_PATH = 'The request line has no path.'

/** Tells how the request line was read. */
const listener = createListener(
  async ({ method, path, search }, problem) =>
    problem === null
      ? { status: 200, headers: [], body: JSON.stringify([method, path, search]) }
      : { status: problem.status, headers: [], body: problem.message },
  {
    clock: { now: () => new Date() },
    log: createLogger('fatal', { write: () => {} }),
    hashAddress: () => 'test',
    isDraining: () => false,
  },
)

describe('the target of a request', () => {
  let server: Listening
  beforeAll(async () => {
    server = await listen(listener)
  })
  afterAll(() => server.close())

  const ask = async (target: string, fields?: readonly string[], method = 'GET') => {
    const { status, body } = await sendRaw(server.port, `${method} ${target} HTTP/1.1`, fields)
    return [status, body.toString()] as const
  }
  const read = (method: string, path: string, search = '') => [200, JSON.stringify([method, path, search])]

  it.each([
    ['/v1/assets', '/v1/assets', ''],
    ['/v1/assets?limit=2&mic=%2e%2e', '/v1/assets', '?limit=2&mic=%2e%2e'],
    ['/v1/assets?', '/v1/assets', '?'],
    ['/v1/a?b?c=../..\\', '/v1/a', '?b?c=../..\\'],
    ['//v1/assets', '//v1/assets', ''],
    ['/v1/.well-known/..a/a..', '/v1/.well-known/..a/a..', ''],
    ['/v1/%2F', '/v1/%2F', ''],
    ['/', '/', ''],
  ])('is %s as it was sent', async (target, path, search) => {
    expect(await ask(target)).toEqual(read('GET', path, search))
  })

  it.each([
    ['http://example.org/v1/assets?limit=2', '/v1/assets', '?limit=2'],
    ['https://example.org:8443/v1/assets', '/v1/assets', ''],
    ['HTTP://EXAMPLE.ORG/v1/Assets', '/v1/Assets', ''],
    ['http://[::1]:3000/v1/assets', '/v1/assets', ''],
    ['http://user:word@example.org/v1/assets', '/v1/assets', ''],
    ['http://example.org', '/', ''],
    ['http://example.org?limit=2', '/', '?limit=2'],
  ])('is the path of the absolute form: %s', async (target, path, search) => {
    expect(await ask(target)).toEqual(read('GET', path, search))
  })

  it('is the path of the request line, whatever host an absolute form names beside the Host header', async () => {
    expect(await ask('http://a.example/v1/assets', ['Host: b.example'])).toEqual(read('GET', '/v1/assets'))
  })

  it('is the server as a whole for OPTIONS *', async () => {
    expect(await ask('*', undefined, 'OPTIONS')).toEqual(read('OPTIONS', '/'))
  })

  it.each([
    '/v1/../auth/me',
    '/v1/..',
    '/..',
    '/v1/./assets',
    '/./v1/assets',
    '/v1/.',
    '/v1/%2e%2e/auth/me',
    '/v1/%2E%2e/auth/me',
    '/v1/.%2e/auth/me',
    '/v1/%2e./auth/me',
    '/v1/%2e/assets',
    '/v1/%2E',
    '/v1\\assets',
    '/v1/..\\auth',
    '/v1/%5cassets',
    '/v1/%5Cassets',
    '/v1/assets#top',
    'http://example.org/v1/%2e%2e/auth/me',
  ])('is a 400 if it could mean another path elsewhere: %s', async (target) => {
    expect(await ask(target)).toEqual([400, UNSAFE_PATH])
  })

  it.each(['ftp://example.org/v1/assets', 'mailto:someone', 'v1/assets', 'http://example.org\\auth/me'])(
    'is a 400 if it has no path: %s',
    async (target) => {
      const [status, text] = await ask(target)
      expect(status).toBe(400)
      // What node itself refuses has no body.
      expect([NO_PATH, '']).toContain(text)
    },
  )

  it.each([
    ['a name', 'example.org'],
    ['a name with a port', 'example.org:8443'],
    ['an address', '127.0.0.1:3000'],
    ['an IPv6 address', '[::1]'],
    ['an IPv6 address with a port', '[2001:db8::1]:3000'],
    ['a name with an underscore', 'gateway_1'],
    ['nothing', ''],
  ])('accepts a Host header that is %s', async (_what, host) => {
    expect(await ask('/v1/assets', [`Host: ${host}`])).toEqual(read('GET', '/v1/assets'))
  })

  it.each([
    'x/auth/me#',
    'x/auth/me?',
    'x#',
    'x?a=b',
    'user@x',
    'x:port',
    'x:123456',
    'x y',
    'x,y',
    'http://x',
    'x\\y',
    '[::1',
    '[x]',
    '::1',
  ])('refuses the Host header %s with 400', async (host) => {
    expect(await ask('/v1/assets', [`Host: ${host}`])).toEqual([400, MALFORMED_HOST])
  })

  it.each([
    ['the same', ['Host: x', 'Host: x']],
    ['another', ['Host: x', 'hOsT: y']],
    ['an empty one', ['Host: x', 'Host:']],
  ])('refuses a second Host header with 400: %s', async (_what, fields) => {
    expect(await ask('/v1/assets', fields)).toEqual([400, MALFORMED_HOST])
  })
})

describe('the gateway', () => {
  let app: TestApp
  let port: number
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { world: 'empty' })
    port = Number(new URL(app.url).port)
    key = await app.newKey({ tier: 'free' })
  })
  afterAll(() => app?.close())

  const ask = async (target: string, ...fields: readonly string[]) => {
    const { status, headers, body } = await sendRaw(port, `GET ${target} HTTP/1.1`, [
      `X-API-Key: ${key}`,
      ...fields,
    ])
    return { status, headers, body: JSON.parse(body.toString()) as Record<string, unknown> }
  }

  it('does not let a Host header choose the route', async () => {
    const refused = await ask('/v1/usage', 'Host: x/auth/me#')
    expect([refused.status, refused.body.error]).toEqual([400, 'bad_request'])
    expect(refused.body.request_id).toBe(refused.headers.get('x-request-id'))
    const usage = await ask('/v1/usage', 'Host: localhost')
    expect([usage.status, Object.keys(usage.body)]).toEqual([200, expect.arrayContaining(['policies'])])
  })

  it('answers the absolute form by the path in it', async () => {
    const me = await ask('http://elsewhere.example/auth/me', 'Host: localhost')
    expect([me.status, me.body]).toMatchObject([200, { tier: 'free' }])
  })

  it.each(['/v1/%2e%2e/auth/me', '/v1/../auth/me', '/v1\\..\\auth\\me'])(
    'refuses %s with the error body and a line in the log',
    async (target) => {
      const { status, headers, body } = await ask(target, 'Host: localhost')
      expect([status, body.error]).toEqual([400, 'bad_request'])
      const id = headers.get('x-request-id') ?? ''
      const lines = app.logLines.filter((line) => line.includes(id))
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'request', status: 400 }])
    },
  )
})
