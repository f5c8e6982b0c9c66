import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../../src/core/errors.js'
import { RouteTable } from '../../../../src/gateway/rest/routes/route-table.js'
import { echoed, json, restApp } from '../rest-app.js'

const { ask } = restApp()

describe('routes', () => {
  it('prefers a static segment to a parameter, and falls back to the parameter', async () => {
    expect(await echoed(ask, '/v1/macro/bis/countries')).toEqual({ route: 'countries' })
    expect(await echoed(ask, '/v1/macro/bis/7')).toEqual({ dataset: 'bis', key: 7 })
  })

  it('decodes path parameters, slashes too', async () => {
    expect(await echoed(ask, '/v1/assets/a%2Fb%20c/ai')).toEqual({ id: 'a/b c' })
  })

  it.each([
    ['/v1/asset', 'No such route: /v1/asset. Did you mean /v1/assets?'],
    ['/v1/assets/bitcoin/aia', 'No such route: /v1/assets/bitcoin/aia. Did you mean /v1/assets/bitcoin/ai?'],
    ['/v1/assts/bitcoin', 'No such route: /v1/assts/bitcoin. Did you mean /v1/assets/bitcoin?'],
    ['/v1/assets/', 'No such route: /v1/assets/. Remove the trailing slash: /v1/assets.'],
    ['/v1/assets//ai', 'No such route: /v1/assets//ai. Did you mean /v1/assets/{id}/ai?'],
    ['/v1', 'No such route: /v1. All routes are listed in /openapi.json.'],
    ['/auth/zzzzzzzz', 'No such route: /auth/zzzzzzzz. All routes are listed in /openapi.json.'],
  ])('answers the unknown path %s with 404 and a near route', async (path, message) => {
    const response = await ask(path)
    expect([response.status, await json(response)]).toEqual([
      404,
      { error: 'not_found', message, request_id: 'req-1' },
    ])
  })

  it.each([
    ['POST', '/v1/webhook'],
    ['POST', '/webhook'],
    ['DELETE', '/v1/webhook/1'],
    ['GET', '/v1/openapi.json'],
    ['GET', '/v1/docs'],
    ['GET', '/v1/assets/~id/ai/'],
  ])("hides SOFA's own routes: %s %s", async (method, path) => {
    expect((await ask(path, { method })).status).toBe(404)
  })

  it('answers a wrong method with 405 and Allow', async () => {
    const put = await ask('/v1/assets', { method: 'PUT' })
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(await json(put)).toEqual({
      error: 'method_not_allowed',
      message: 'PUT is not allowed on /v1/assets; allowed: GET, HEAD.',
      request_id: 'req-1',
    })
    const get = await ask('/auth/keys/k1')
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'DELETE'])
  })

  it.each(['/v1/assets/%ZZ', '/v1/echo?text=%ZZ', '/v1/echo?%E0%A4=1'])(
    'answers %s with 400',
    async (path) => {
      const response = await ask(path)
      expect([response.status, (await json(response)).error]).toEqual([400, 'bad_request'])
    },
  )
})

describe('RouteTable', () => {
  const routes = [
    { method: 'GET', path: '/v1/a/{x}' },
    { method: 'POST', path: '/v1/a/b' },
    { method: 'GET', path: '/v1/{x}/{y}/c' },
  ]
  const table = new RouteTable(routes)

  it('returns any text that a client encodes into a segment', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (text) => {
        const { route, pathValues } = table.match('GET', `/v1/a/${encodeURIComponent(text)}`)
        expect([route, pathValues]).toEqual([routes[0], [['x', text]]])
      }),
    )
  })

  it('tries the parameter if the static segment leads to no route of the method', () => {
    expect(table.match('GET', '/v1/a/b').route).toBe(routes[0])
    expect(table.match('POST', '/v1/a/b').route).toBe(routes[1])
    expect(table.match('GET', '/v1/a/b/c').pathValues).toEqual([
      ['x', 'a'],
      ['y', 'b'],
    ])
  })

  it('returns the same match again for a known path, separately for each method', () => {
    const many = new RouteTable(routes)
    const first = many.match('GET', '/v1/a/b')
    expect(many.match('GET', '/v1/a/b')).toBe(first)
    expect(many.match('POST', '/v1/a/b').route).toBe(routes[1])
    expect(many.match('HEAD', '/v1/a/b')).toEqual(first)
    expect(() => many.match('PUT', '/v1/a/b')).toThrow(ApiError)
  })

  it('forgets known paths when there are too many, and never stores a long one', () => {
    const many = new RouteTable(routes)
    const first = many.match('GET', '/v1/a/0')
    for (let number = 1; number < 1_000; number++) many.match('GET', `/v1/a/${number}`)
    expect(many.match('GET', '/v1/a/0')).toBe(first)
    many.match('GET', '/v1/a/1000')
    expect(many.match('GET', '/v1/a/0')).not.toBe(first)
    expect(many.match('GET', '/v1/a/0')).toEqual(first)
    const long = `/v1/a/${'x'.repeat(100)}`
    expect(many.match('GET', long)).not.toBe(many.match('GET', long))
  })

  it('throws an ApiError and nothing else for any path', () => {
    fc.assert(
      fc.property(fc.webPath(), fc.constantFrom('GET', 'PUT', 'HEAD'), (path, method) => {
        try {
          table.match(method, `/v1${path}`)
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError)
        }
      }),
    )
  })

  it('refuses two routes of one method and shape', () => {
    expect(() => new RouteTable([...routes, { method: 'GET', path: '/v1/a/{z}' }])).toThrow(
      'Two routes have the method and path GET /v1/a/{z}.',
    )
  })
})
