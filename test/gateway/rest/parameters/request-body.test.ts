import { describe, expect, it } from 'vitest'
import { echoed, json, post, refused, restApp } from '../rest-app.js'

const { ask } = restApp()

describe('bodies', () => {
  it('reads every JSON type', async () => {
    const body = {
      label: 'x',
      count: 2,
      ratio: 0.5,
      is_dry: false,
      kind: 'etf',
      expires_at: '2026-05-01T00:00:00Z',
      range: { from: 1, to: null },
      options: { a: [1, null] },
    }
    expect(await echoed(ask, '/auth/keys', post(body))).toEqual({
      ...body,
      expires_at: '2026-05-01T00:00:00.000Z',
      range: { from: 1 },
      steps: 3,
    })
  })

  it('treats null as absent for nullable fields', async () => {
    expect(await echoed(ask, '/auth/keys', post({ label: 'x', count: null }))).toEqual({
      label: 'x',
      steps: 3,
    })
  })

  it('runs a query on POST with many list values', async () => {
    const leis = Array.from({ length: 50 }, (_, index) => `L${index}`)
    expect(await echoed(ask, '/v1/screen', post({ leis }))).toEqual({ leis })
  })

  it('treats an absent body as {} if no field is required', async () => {
    expect(await echoed(ask, '/auth/keys/k1/rotate', { method: 'POST' })).toEqual({ key_id: 'k1' })
    expect(await echoed(ask, '/auth/keys/k1/rotate', post(''))).toEqual({ key_id: 'k1' })
  })

  it('accepts a charset of UTF-8 only', async () => {
    const utf8 = await ask(
      '/v1/screen',
      post({ leis: [] }, { 'content-type': 'application/json; charset=UTF-8' }),
    )
    expect(utf8.status).toBe(200)
    const latin = await ask(
      '/v1/screen',
      post({ leis: [] }, { 'content-type': 'application/json; charset=latin1' }),
    )
    expect(latin.status).toBe(415)
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
  ])('refuses %s with 415', async (type) => {
    const response = await ask('/v1/screen', post('{"leis":[]}', { 'content-type': type }))
    expect([response.status, (await json(response)).error]).toEqual([415, 'unsupported_media_type'])
  })

  it('refuses a body without a content type with 415', async () => {
    const body = new TextEncoder().encode('{"leis":[]}')
    expect((await ask('/v1/screen', { method: 'POST', body })).status).toBe(415)
  })

  it.each([
    ['{"leis":', 'The body is not valid JSON.'],
    ['{"leis":["a"],"leis":["b"]}', 'The body has the member "leis" more than once.'],
    ['null', 'The body must be a JSON object; it is null.'],
    ['[1]', 'The body must be a JSON object; it is a list.'],
    ['"x"', 'The body must be a JSON object; it is "x".'],
    ['', 'The body is empty; send a JSON object.'],
  ])('refuses the body %s with 400', async (body, message) => {
    const response = await ask('/v1/screen', post(body))
    expect([response.status, await json(response)]).toEqual([
      400,
      { error: 'bad_request', message, request_id: 'req-1' },
    ])
  })

  it('refuses a body that is not UTF-8 anywhere with 400', async () => {
    const wrong = [
      Buffer.from('{"label":"caf\xe9"}', 'latin1'),
      Buffer.from('{"label":"x"}\xff', 'latin1'),
      Buffer.from('\xfe\xff\0{\0}', 'latin1'),
    ]
    for (const body of wrong) {
      const response = await ask('/auth/keys', { ...post({}), body: new Uint8Array(body) })
      expect([response.status, await json(response)]).toEqual([
        400,
        { error: 'bad_request', message: 'The body is not valid UTF-8.', request_id: 'req-1' },
      ])
    }
    expect(await echoed(ask, '/auth/keys', post({ label: 'café' }))).toEqual({ label: 'café', steps: 3 })
  })

  it.each([
    [{}, 'label', 'is required'],
    [{ label: null }, 'label', 'must not be null'],
    [{ label: 5 }, 'label', 'must be a string; got 5'],
    [{ label: 'x', count: '5' }, 'count', 'must be a whole number; got "5"'],
    [{ label: 'x', count: 1.5 }, 'count', 'must be a whole number; got 1.5'],
    [{ label: 'x', count: 1e12 }, 'count', 'must be between -2147483648 and 2147483647; got 1000000000000'],
    [{ label: 'x', ratio: '0.5' }, 'ratio', 'must be a number; got "0.5"'],
    [{ label: 'x', is_dry: 'yes' }, 'is_dry', 'must be true or false; got "yes"'],
    [{ label: 'x', is_dry: 1 }, 'is_dry', 'must be true or false; got 1'],
    [
      { label: 'x', kind: 'ETFS' },
      'kind',
      'must be one of crypto, stock, etf, commodity; did you mean "etf"?',
    ],
    [{ label: 'x', kind: 3 }, 'kind', 'must be one of crypto, stock, etf, commodity; got 3'],
    [
      { label: 'x', expires_at: 1767225600000 },
      'expires_at',
      'must be a calendar day, or an instant with its zone, such as 2026-01-31T12:00:00Z; got 1767225600000',
    ],
    [{ label: 'x', options: [] }, 'options', 'must be a JSON object; got a list'],
    [{ label: 'x', range: 5 }, 'range', 'must be an object; got 5'],
    [{ label: 'x', range: {} }, 'range.from', 'is required'],
    [{ label: 'x', range: { from: 'a' } }, 'range.from', 'must be a whole number; got "a"'],
    [{ label: 'x', range: { from: 1, too: 2 } }, 'range.too', 'is not a known field; did you mean "to"?'],
    [{ label: 'x', steps: null }, 'steps', 'must not be null'],
    [{ label: 'x', lable: 'y' }, 'lable', 'is not a known field; did you mean "label"?'],
    ['{"label":"x","__proto__":{"a":1}}', '__proto__', null],
  ])('refuses %j', async (body, field, message) => {
    const details = await refused(ask, '/auth/keys', post(body))
    if (message === null) expect(details).toMatchObject([{ field }])
    else expect(details).toEqual([{ field, message }])
  })

  it('names the position of a wrong list element and does not accept a single value as a list', async () => {
    expect(await refused(ask, '/v1/screen', post({ leis: ['A', 5, null] }))).toEqual([
      { field: 'leis[1]', message: 'must be a string; got 5' },
      { field: 'leis[2]', message: 'must not be null' },
    ])
    expect(await refused(ask, '/v1/screen', post({ leis: 'A' }))).toEqual([
      { field: 'leis', message: 'must be a list; got "A"' },
    ])
  })

  it('takes body fields from the body only, and path parameters from the path only', async () => {
    expect(await refused(ask, '/v1/screen?leis=A', post({ leis: ['B'] }))).toEqual([
      { field: 'leis', message: 'belongs in the JSON body' },
    ])
    expect(await refused(ask, '/auth/keys/k1/rotate', post({ key_id: 'k2' }))).toEqual([
      { field: 'key_id', message: 'is not a known field; known: grace_seconds' },
    ])
  })
})
