import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/core/parse-json.js'

describe('a number in the JSON of a client', () => {
  it.each([
    '9007199254740991',
    '[-9007199254740991, 1.7976931348623157e308]',
    '{"0":0.1234567890123456789}',
    '{"text":"9007199254740993 \\" 1e400"}',
    '"12345678901234567890\\\\"',
  ])('is taken: %s', (text) => {
    expect(parseJson(text, 'The body')).toEqual(JSON.parse(text))
  })

  it.each([
    ['9007199254740993', '9007199254740993'],
    ['{"a":"1234567890123456", "b":[1,-9007199254740992]}', '-9007199254740992'],
    ['{"limit":1e400}', '1e400'],
    [`{"n":${'9'.repeat(20_000)}}`, '9'.repeat(60)],
  ])('is refused as it was sent if it would be changed: %#', (text, shown) => {
    expect(() => parseJson(text, 'The body')).toThrow(`The body has the number ${shown}, which is not exact`)
  })
})
