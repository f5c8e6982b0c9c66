import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findDemoKeyFault } from '../../../src/domains/access/keys/demo-key-service.js'
import { createAccountWithKey } from '../../../src/domains/access/operator.js'
import { makeApiKey } from '../../../src/platform/secrets/api-key-format.js'
import { DEMO_QUOTAS, DEMO_STREAMS } from '../../../src/policy/limits.js'
import { type CallOptions, startTestApp, type TestApp } from '../../support/app/app.js'
import {
  callGraphql,
  callRest,
  exampleArguments,
  graphqlOutcome,
  restOutcome,
  rootFields,
} from '../../support/app/endpoint-calls.js'
import { remainingOf, windowsOf } from '../../support/app/limit-headers.js'
import { quickestDatabase } from '../../support/database/database.js'
import { RawSocket } from '../../support/peers/socket-client.js'

/** Required arguments without an example in the schema. What is refused never reads them. */
const ARGUMENTS = { key_id: 'x', webhook_id: 'x', email: 'a@example.org', password: 'correct horse battery' }

describe('the demo key', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { hasDemoKey: true, env: { TRUST_PROXY: 'true' } })
    key = app.pageKey ?? expect.fail()
  })
  afterAll(() => app?.close())

  let visitors = 0
  /** The call of another visitor each time, unless `address` names one. */
  const from = (address = `10.${visitors & 255}.${visitors++ >> 8}.1`): CallOptions => ({
    key,
    headers: { 'x-forwarded-for': address },
  })

  it('reads every field that a key of tier free without scopes may read, and nothing else, over both transports', async () => {
    for (const root of rootFields()) {
      const { access, rest } = root.endpoint
      if (access === 'open') continue
      const args = exampleArguments(root, ARGUMENTS)
      const graphql = graphqlOutcome(await callGraphql(app, root, args, from()))
      const answers = [
        graphql,
        ...(rest === null ? [] : [restOutcome(await callRest(app, root, rest, args, from()))]),
      ]
      for (const { status, error } of answers) {
        // The data of the tests has no release.
        if (access === 'caller')
          expect([root.name, status]).toEqual([root.name, root.name === 'release' ? 404 : 200])
        else expect([root.name, status, error]).toEqual([root.name, 403, 'forbidden'])
      }
    }
  })

  it('changes nothing: only open mutations are left to it', () => {
    const left = rootFields().filter(
      ({ operation, endpoint }) => operation === 'mutation' && endpoint.access === 'caller',
    )
    expect(left.map(({ name }) => name)).toEqual([])
  })

  it('says how to get further', async () => {
    const refused = await app.rest<{ message: string; required_scope?: string }>('/auth/keys', from())
    expect(refused.body).toMatchObject({
      message:
        'This needs the scope keys:manage, which comes with tier free and above; the demo key has none. Sign in, or send your own key.',
      required_scope: 'keys:manage',
    })
    const { body } = await app.rest<{ message: string }>('/auth/me', from())
    expect(body.message).toBe(
      'The demo key only reads market data and has no account; sign in, or send your own key.',
    )
  })

  it('gives each address an hour of units, beside that of all visitors', async () => {
    const first = '10.9.200.1'
    const query = `{ ${Array.from({ length: 10 }, (_, at) => `a${at}: assets(limit: 1) { data { slug: asset_id } }`).join(' ')} }`
    for (let left = DEMO_QUOTAS.addressHour - 10; left >= 0; left -= 10)
      expect(remainingOf(await app.graphql(query, from(first)))).toBe(left)
    const refused = await app.rest<{ message: string }>('/v1/assets', from(first))
    expect([refused.status, refused.body.message]).toEqual([
      429,
      expect.stringContaining(`Hourly limit of ${DEMO_QUOTAS.addressHour} units reached; try again at `),
    ])
    const other = await app.rest('/v1/assets', from())
    expect([other.status, remainingOf(other)]).toEqual([200, DEMO_QUOTAS.addressHour - 1])
    const windows = windowsOf(other)
    expect(windows.map(({ policy }) => policy)).toEqual([
      'hour',
      'demo_network_hour',
      'demo_provider_hour',
      'demo_hour',
    ])
    const all = windows.at(-1)
    expect(all?.remaining).toBeLessThan(DEMO_QUOTAS.hour - DEMO_QUOTAS.addressHour)
  })

  it.each([
    ['IPv6 /48', (at: number) => `2001:db8:1:${at.toString(16)}::1`, DEMO_QUOTAS.networkHour, 'network'],
    ['IPv4 /24', (at: number) => `192.0.2.${at}`, DEMO_QUOTAS.networkHour, 'network'],
    [
      'IPv6 /32',
      (at: number) => `2001:db9:${at.toString(16)}::1`,
      DEMO_QUOTAS.providerHour,
      'network provider',
    ],
  ])('leaves units for others when one %s has spent its share', async (_network, addressOf, share, name) => {
    const query = `{ ${Array.from({ length: 10 }, (_, at) => `a${at}: assets(limit: 1) { data { slug: asset_id } }`).join(' ')} }`
    for (let at = 1; at <= share / 10; at += 1)
      expect((await app.graphql(query, from(addressOf(at)))).status).toBe(200)
    const refused = await app.rest<{ message: string }>('/v1/assets', from(addressOf(250)))
    expect([refused.status, refused.body.message]).toEqual([
      429,
      expect.stringContaining(`Hourly limit of your ${name} with the demo key of ${share} units reached`),
    ])
    expect((await app.rest('/v1/assets', from())).status).toBe(200)
  })

  it('refuses a script of another site, because it would spend the quotas of the visitors there', async () => {
    const call = (site: string) => {
      const { headers, ...rest } = from()
      return app.rest('/v1/assets', {
        ...rest,
        headers: { ...headers, 'sec-fetch-site': site, 'sec-fetch-mode': 'cors' },
      })
    }
    expect((await call('cross-site')).status).toBe(403)
    expect((await call('same-site')).status).toBe(403)
    expect((await call('same-origin')).status).toBe(200)
  })

  it('refuses a foreign page of a browser that sends no Sec-Fetch-Site, by its Origin', async () => {
    const call = (origin: string, path: string) => {
      const { headers, ...rest } = from()
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
      const asked = path === '/mcp' ? { method: 'POST', body: message } : {}
      const accept = 'application/json, text/event-stream'
      return app.rest(path, { ...rest, ...asked, headers: { ...headers, origin, accept } })
    }
    for (const path of ['/v1/assets', '/mcp']) {
      expect((await call('http://attacker.example', path)).status).toBe(403)
      expect((await call('null', path)).status).toBe(403)
      expect((await call(new URL(app.url).origin, path)).status).toBe(200)
    }
  })

  it('refuses such a script on /mcp too, whatever it asks for, and not one with another key or outside a browser', async () => {
    const message = async (method: string, site: string | null, apiKey = key) => {
      const response = await fetch(`${app.url}/mcp`, {
        method: 'POST',
        headers: {
          ...from().headers,
          'x-api-key': apiKey,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(site === null ? {} : { 'sec-fetch-site': site, 'sec-fetch-mode': 'cors' }),
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method,
          params: method === 'tools/call' ? { name: 'search', arguments: { query: 'bitcoin price' } } : {},
        }),
      })
      return [response.status, await response.text()] as const
    }
    for (const method of ['tools/call', 'tools/list'])
      for (const site of ['cross-site', 'same-site']) {
        const [status, text] = await message(method, site)
        expect([method, site, status]).toEqual([method, site, 403])
        expect(text).toContain("works in this gateway's own pages only")
      }
    for (const site of ['same-origin', null]) {
      const [status, text] = await message('tools/call', site)
      expect([site, status]).toEqual([site, 200])
      expect(text).toContain('asset_id')
    }
    const [status, text] = await message('tools/call', 'cross-site', await app.newKey({ tier: 'free' }))
    expect([status, text.includes('asset_id')]).toEqual([200, true])
  })

  it('opens a few streams per address and no WebSocket', async () => {
    const open = new AbortController()
    const search = new URLSearchParams({ query: 'subscription { forex(quote: "USD") { cursor } }' })
    const stream = (address: string) =>
      fetch(`${app.url}/graphql?${search}`, {
        headers: { 'x-api-key': key, 'x-forwarded-for': address, accept: 'text/event-stream' },
        signal: open.signal,
      })
    const streams = []
    for (let at = 0; at < DEMO_STREAMS.address; at++) streams.push(await stream('10.9.0.2'))
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
    const refused = await (await stream('10.9.0.2')).text()
    expect(refused).toContain(`may have ${DEMO_STREAMS.address} open subscriptions`)
    expect((await stream('10.9.0.3')).status).toBe(200)
    open.abort()
    const socket = await new RawSocket(app.url).opened()
    socket.send({ type: 'connection_init', payload: { 'X-API-Key': key } })
    expect(await socket.closed).toMatchObject({
      reason: expect.stringContaining('The demo key opens no WebSockets'),
    })
  })

  it('may be any key that works, is of tier free and has no scope; the start names what another one lacks', async () => {
    const { access, clock } = app
    const fault = (text: string) => findDemoKeyFault(access, text)
    expect(await fault(key)).toBeNull()
    expect(await fault(makeApiKey('test', randomBytes))).toBe('is unknown; no account has this key')
    expect(await fault(await app.newKey({ tier: 'pro', scopes: [] }))).toContain(
      'tier pro; it must be of tier free',
    )
    expect(await fault(await app.newKey({ tier: 'free' }))).toBe(
      'has the scopes keys:manage; it must have none',
    )
    const admin = await app.newKey({ tier: 'free', grants: ['admin'], scopes: ['admin'] })
    expect(await fault(admin)).toBe('has the scopes admin; it must have none')
    const revoked = await createAccountWithKey(access, { tier: 'free', label: 'demo', scopes: [] })
    await app.database.rows('update api_key set revoked_at = $1 where key_id = $2::uuid', [
      clock.now(),
      revoked.key_id,
    ])
    expect(await fault(revoked.raw_key)).toContain('was revoked at')
  })
})
