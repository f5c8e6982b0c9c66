import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQuery } from '../../../../src/gateway/rest/parameters/parameters.js'
import { echoed, json, refused, restApp } from '../rest-app.js'

const { ask } = restApp()

describe('parameters', () => {
  it('reads every type like GraphQL', async () => {
    const query =
      'int=-5&float=1.5e3&boolean=true&kind=stock&text=a+b%26c&id=7&date=2026-02-28&at=2026-01-01T00:00:00Z&even=4'
    expect(await echoed(ask, `/v1/echo?${query}`)).toEqual({
      int: -5,
      float: 1500,
      boolean: true,
      kind: 'stock',
      text: 'a b&c',
      id: '7',
      date: '2026-02-28',
      at: '2026-01-01T00:00:00.000Z',
      even: 4,
    })
  })

  it('reads lists as repeated parameters, any number of them, commas untouched', async () => {
    const numbers = Array.from({ length: 60 }, (_, index) => index)
    const query = numbers.map((number) => `numbers=${number}`).join('&')
    expect(await echoed(ask, `/v1/echo?${query}&symbols=A,B`)).toEqual({ numbers, symbols: ['A,B'] })
  })

  it('keeps a second question mark in the value', async () => {
    expect(await echoed(ask, '/v1/echo?text=a?b?c&int=1')).toEqual({ text: 'a?b?c', int: 1 })
  })

  it('fills defaults', async () => {
    expect(await echoed(ask, '/v1/forex?quote=USD')).toEqual({ quote: 'USD', base: 'EUR' })
  })

  it.each([
    ['int=abc', 'int', 'must be a whole number; got "abc"'],
    ['int=1.5', 'int', 'must be a whole number; got "1.5"'],
    ['int=99999999999', 'int', 'must be between -2147483648 and 2147483647; got 99999999999'],
    [
      'int=12345678901234567890',
      'int',
      'must be between -2147483648 and 2147483647; got 12345678901234567890',
    ],
    ['int=00099999999999', 'int', 'must be between -2147483648 and 2147483647; got 00099999999999'],
    ['int=', 'int', 'must not be empty'],
    ['int', 'int', 'must not be empty'],
    ['float=xx', 'float', 'must be a number; got "xx"'],
    ['float=Infinity', 'float', 'must be a number; got "Infinity"'],
    ['float=0x10', 'float', 'must be a number; got "0x10"'],
    ['boolean=1', 'boolean', 'must be true or false; got "1"'],
    ['boolean=banana', 'boolean', 'must be true or false; got "banana"'],
    ['kind=CRYPTOS', 'kind', 'must be one of crypto, stock, etf, commodity; did you mean "crypto"?'],
    ['kind=bond', 'kind', 'must be one of crypto, stock, etf, commodity; got "bond"'],
    ['date=2026-13-01', 'date', 'must be a calendar day, YYYY-MM-DD; got "2026-13-01"'],
    ['date=2026-02-29', 'date', 'must be a calendar day, YYYY-MM-DD; got "2026-02-29"'],
    ['date=01/02/2023', 'date', 'must be a calendar day, YYYY-MM-DD; got "01/02/2023"'],
    [
      'date=2026-01-01T00:00:00Z',
      'date',
      'must be a day without a time, such as 2026-01-01; got "2026-01-01T00:00:00Z"',
    ],
    [
      'at=2026-01-01T00:00:00+02:00',
      'at',
      'has a space instead of the + of its offset; write + as %2B in a URL; got "2026-01-01T00:00:00 02:00"',
    ],
    [
      'at=soon',
      'at',
      'must be a calendar day, or an instant with its zone, such as 2026-01-31T12:00:00Z; got "soon"',
    ],
    ['even=3', 'even', 'must be a valid Even; got "3"'],
    ['int=1&int=2', 'int', 'is given more than once'],
    ['numbers=1&numbers=x', 'numbers', 'must be a whole number; got "x"'],
    ['symbols[]=A', 'symbols[]', 'is not a known parameter; did you mean "symbols"?'],
    ['knd=etf', 'knd', 'is not a known parameter; did you mean "kind"?'],
    [
      'zzzzzzzzz=1',
      'zzzzzzzzz',
      'is not a known parameter; known: int, float, boolean, kind, text, id, date, at, even, symbols, numbers',
    ],
  ])('refuses ?%s', async (query, field, message) => {
    expect(await refused(ask, `/v1/echo?${query}`)).toEqual([{ field, message }])
  })

  it('refuses parameters of a route without any, and those of the path', async () => {
    expect(await refused(ask, '/v1/thing?x=1')).toEqual([
      { field: 'x', message: 'is not a known parameter; this route has none' },
    ])
    expect(await refused(ask, '/v1/assets/bitcoin?id=1')).toEqual([
      { field: 'id', message: 'is part of the path: /v1/assets/{id}' },
    ])
  })

  it('names a missing required parameter in the gateway’s words', async () => {
    expect(await refused(ask, '/v1/forex')).toEqual([{ field: 'quote', message: 'is required' }])
  })

  it('checks path parameters the same way', async () => {
    expect(await refused(ask, '/v1/macro/x/seven')).toEqual([
      { field: 'key', message: 'must be a whole number; got "seven"' },
    ])
  })

  it('names all problems of a request at once; the message repeats the first', async () => {
    const response = await ask('/v1/macro/x/seven?limt=1&limit=2')
    expect(await json(response)).toEqual({
      error: 'validation_error',
      message: 'key: must be a whole number; got "seven" (and 2 more)',
      details: [
        { field: 'key', message: 'must be a whole number; got "seven"' },
        { field: 'limt', message: 'is not a known parameter; this route has none' },
        { field: 'limit', message: 'is not a known parameter; this route has none' },
      ],
      request_id: 'req-1',
    })
  })

  it('stops after fifty problems', async () => {
    const query = Array.from({ length: 200 }, (_, index) => `x${index}=1`).join('&')
    expect(await refused(ask, `/v1/echo?${query}`)).toHaveLength(50)
  })

  it('repeats only the beginning of a long value', async () => {
    expect(await refused(ask, `/v1/echo?kind=${'y'.repeat(5000)}`)).toEqual([
      { field: 'kind', message: `must be one of crypto, stock, etf, commodity; got "${'y'.repeat(60)}…"` },
    ])
  })
})

describe('parseQuery', () => {
  it('returns every pair as URLSearchParams wrote it', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
        const search = new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()
        expect(parseQuery(`?${search}`)).toEqual(pairs)
      }),
    )
  })
})
