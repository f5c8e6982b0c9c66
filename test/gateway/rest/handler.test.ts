import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRestTransport } from '../../../src/gateway/rest/handler.js'
import { createRestRoutes } from '../../../src/gateway/rest/routes/rest-routes.js'
import type { RequestContext } from '../../../src/platform/request/request-context.js'
import { yogaOf } from '../../support/app/gateway-yoga.js'
import { exchangeOf, responseOf, type Sent } from '../../support/app/transport.js'
import { CALLER, json, post, restApp, UPGRADE_URL } from './rest-app.js'
import { schema } from './rest-schema.js'

const { ask, listener } = restApp()

describe('success', () => {
  it('answers the value of the root field as the whole body', async () => {
    const response = await ask('/v1/assets/bitcoin')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await json(response)).toEqual({
      id: 'bitcoin',
      name: 'Bitcoin',
      asset_class: 'crypto',
      price: null,
      listed_on: '2010-07-17',
      updated_at: '2026-03-02T10:00:00.000Z',
      aliases: ['XBT'],
    })
  })

  it('returns whole nested objects even if their type has an id, a single and a list field', async () => {
    expect((await json(ask('/v1/assets'))).data).toMatchObject([{ id: 'bitcoin', name: 'Bitcoin' }])
  })

  it('returns a union with the members of its type', async () => {
    expect(await json(ask('/v1/thing'))).toEqual({ mic: 'XNAS' })
  })

  it('returns the status of the route: 201', async () => {
    const response = await ask('/auth/keys', post({ label: 'x' }))
    expect([response.status, await json(response)]).toEqual([201, { args: { label: 'x', steps: 3 } }])
  })

  it('returns 204 without a body', async () => {
    const response = await ask('/auth/keys/k1', { method: 'DELETE' })
    expect([response.status, await response.text()]).toEqual([204, ''])
  })

  it('answers HEAD like GET without a body', async () => {
    const response = await ask('/v1/assets', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(response.headers.get('link')).toContain('rel="next"')
  })

  it('turns a bare null into 404', async () => {
    const response = await ask('/v1/assets/null')
    expect([response.status, (await json(response)).error]).toEqual([404, 'not_found'])
  })

  it('ignores a body on GET and DELETE', async () => {
    const response = await ask('/auth/keys/k1', {
      method: 'DELETE',
      body: '{{',
      headers: { 'content-type': 'x/y' },
    })
    expect(response.status).toBe(204)
  })
})

describe('prepare', () => {
  const transport = createRestTransport({
    routes: createRestRoutes(schema),
    yoga: yogaOf(schema),
    upgradeUrl: UPGRADE_URL,
  })
  const prepare = (path: string, sent: Sent = {}) => {
    const exchange = exchangeOf(path, sent)
    // The test's schema asks for nothing of the context but the caller.
    return transport.identify(exchange).prepare({ principal: CALLER } as RequestContext)
  }

  it('names the operation and its price, and a dry run answers with the price instead of data', async () => {
    const prepared = await prepare('/v1/thing')
    if ('status' in prepared) throw new Error('answered without running')
    expect([prepared.operation, prepared.price.units]).toEqual(['thing', 1])
    const cost = { charged: 0, remaining: 9, price: 1 }
    const reply = await responseOf(prepared.dryRun(cost), 'GET')
    expect([reply.status, await json(reply)]).toEqual([200, { cost }])
  })

  it.each([
    ['/v1/nope', {}, 404],
    ['/v1/echo?x=1', {}, 422],
    ['/v1/assets/', {}, 404],
    ['/v1/thing', { headers: { accept: 'text/html' } }, 406],
    [
      '/auth/keys',
      { ...post({ label: 'x' }), headers: { 'content-type': 'application/json', accept: 'image/png' } },
      406,
    ],
  ])('refuses %s with %o before anything runs', async (path, sent, status) => {
    await expect(prepare(path, sent)).rejects.toMatchObject({ status })
  })
})

describe('over a real socket', () => {
  const server = createServer(listener)
  let origin = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => void server.close())

  it('answers GET, HEAD, POST, DELETE and errors completely', async () => {
    const get = await fetch(`${origin}/v1/assets`)
    const length = get.headers.get('content-length')
    expect([get.status, (await get.text()).length]).toEqual([200, Number(length)])
    const head = await fetch(`${origin}/v1/assets`, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, length])
    const created = await fetch(`${origin}/auth/keys`, post({ label: 'é' }))
    expect([created.status, await created.json()]).toEqual([201, { args: { label: 'é', steps: 3 } }])
    const removed = await fetch(`${origin}/auth/keys/k1`, { method: 'DELETE' })
    expect([removed.status, await removed.text()]).toEqual([204, ''])
    const missing = await fetch(`${origin}/v1/nope`, { method: 'HEAD' })
    expect([missing.status, await missing.text()]).toEqual([404, ''])
  })
})
