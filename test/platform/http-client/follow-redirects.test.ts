import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  getFollowing,
  nextAddress,
  RefusedRedirect,
} from '../../../src/platform/http-client/follow-redirects.js'
import { createHttpClient } from '../../../src/platform/http-client/http-client.js'
import { createLogger } from '../../../src/platform/logger.js'
import { type Listening, listen } from '../../support/peers/sockets.js'

let provider: Listening
let other: Listening
let location: (path: string) => string | null
let asked: IncomingMessage[] = []

beforeAll(async () => {
  provider = await listen((request, response) => {
    asked.push(request)
    const to = location(request.url ?? '')
    if (to === null) response.end('the provider')
    else response.writeHead(302, { location: to }).end()
  })
  other = await listen((request, response) => {
    asked.push(request)
    response.end('the other')
  })
})
afterAll(() => Promise.all([provider.close(), other.close()]))
beforeEach(() => {
  asked = []
})

const HEADERS = {
  'user-agent': 'test/1',
  accept: 'text/csv',
  'x-api-key': 'secret',
  authorization: 'Bearer x',
}
const follow = (resolve?: () => Promise<readonly string[]>) =>
  getFollowing({
    url: `${provider.url}/start`,
    headers: HEADERS,
    signal: AbortSignal.timeout(20_000),
    ...(resolve ? { resolve } : {}),
  })
/** The provider is at a public address, as far as its name says. */
const PUBLIC = async () => ['93.184.215.14']

describe('a redirect', () => {
  it('within the origin is followed with all headers', async () => {
    location = (path) => (path === '/start' ? '/end?page=2' : null)
    expect(await (await follow(PUBLIC)).text()).toBe('the provider')
    expect(asked.map(({ url }) => url)).toEqual(['/start', '/end?page=2'])
    expect(asked[1]?.headers).toMatchObject(HEADERS)
  })

  it('of a mirror in the operator’s network may stay there, and carries no key', async () => {
    location = () => `${other.url}/y`
    expect(await (await follow()).text()).toBe('the other')
    expect(asked[1]?.headers).toMatchObject({ 'user-agent': 'test/1', accept: 'text/csv' })
    expect(asked[1]?.headers).not.toHaveProperty('x-api-key')
    expect(asked[1]?.headers).not.toHaveProperty('authorization')
  })

  it.each([
    ['an address', () => other.url],
    ['another spelling of it', () => other.url.replace('127.0.0.1', '2130706433')],
    ['a mapped address', () => other.url.replace('127.0.0.1', '[::ffff:127.0.0.1]')],
    ['the metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
  ])('of a public host may not lead to a private one: %s', async (_, to) => {
    location = to
    await expect(follow(PUBLIC)).rejects.toThrow(RefusedRedirect)
    expect(asked.length).toBe(1)
  })

  it('of a public host may not lead to the name of a private one', async () => {
    location = () => other.url.replace('127.0.0.1', 'inside.example')
    let lookups = 0
    const resolve = async () => (lookups++ === 0 ? PUBLIC() : ['127.0.0.1'])
    await expect(follow(resolve)).rejects.toThrow(RefusedRedirect)
    expect([asked.length, lookups]).toEqual([1, 2])
  })

  it('is followed at most five times', async () => {
    location = (path) => `${path}x`
    await expect(follow()).rejects.toThrow('more than 5 redirects')
    expect(asked.length).toBe(6)
  })

  it.each([
    ['https://a.example/x', 'http://a.example/y', 'a redirect from https to http at a.example'],
    ['https://a.example/x', 'file:///etc/passwd', 'a redirect to a URL that is not http or https'],
    ['https://a.example/x', 'gopher://b.example/', 'a redirect to a URL that is not http or https'],
    ['https://a.example/x', 'https://', 'a redirect to a URL that is not http or https'],
    ['https://a.example/x', 'https://me:pass@b.example/', 'a redirect with a user name to b.example'],
  ])('from %s to %s is refused', (at, to, message) => {
    expect(() => nextAddress(new URL(at), to)).toThrow(message)
  })

  it('that is refused is not followed, and shows no full address', async () => {
    location = () => 'ftp://inside.example/secret'
    const lines: string[] = []
    const log = createLogger('debug', { write: (line: string) => void lines.push(line) })
    const client = createHttpClient({ log, userAgent: 'test/1' })
    const asking = client.request({ url: provider.url, timeoutMs: 20_000, maxBytes: 100, retries: 3 })
    await expect(asking).rejects.toMatchObject({ name: 'UpstreamError', kind: 'refused_redirect' })
    expect(asked.length).toBe(1)
    expect(lines.join('')).not.toContain('/secret')
  })

  it('of another method than GET is an answer', async () => {
    location = () => `${other.url}/y`
    const client = createHttpClient({ log: createLogger('silent'), userAgent: 'test/1' })
    const limits = { timeoutMs: 20_000, maxBytes: 100, retries: 0 }
    const { status } = await client.request({ url: provider.url, method: 'POST', body: '{}', ...limits })
    expect([status, asked.length]).toEqual([302, 1])
  })
})
