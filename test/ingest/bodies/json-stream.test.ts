import { describe, expect, it } from 'vitest'
import { jsonElements } from '../../../src/ingest/bodies/json/json-stream.js'
import { BrokenBody } from '../../../src/ingest/feed.js'

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(body: string | Uint8Array, member: string | null = null, size = 3) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const found: unknown[] = []
  for await (const { value, duplicate } of jsonElements(inPieces(bytes, size), member)) {
    const shown = value instanceof Map ? Object.fromEntries(value) : value
    found.push(duplicate === null ? shown : { shown, duplicate })
  }
  return found
}

describe('the elements of a JSON list', () => {
  it.each([1, 2, 3, 5, 1000])(
    'are cut at commas of the list alone, whatever the pieces: %i bytes',
    async (size) => {
      const text = '\ufeff [ {"a": "x,]}\\"", "b": [1,{"c":2}]} , 5e3,\n null, "é[" ,[ ] ]\n'
      expect(await read(text, null, size)).toEqual([
        { a: 'x,]}"', b: ['1', new Map([['c', '2']])] },
        '5e3',
        null,
        'é[',
        [],
      ])
    },
  )

  it.each([1, 4, 1000])('belong to one member of an object: %i bytes', async (size) => {
    const text = '{"list" : [1 , 2], "other":{"list":[3],"x":"]"}, "y": [4,[5]], "last": "a,b"}'
    expect(await read(text, 'list', size)).toEqual(['1', '2'])
    expect(await read(text, 'y', size)).toEqual(['4', ['5']])
  })

  it('name a duplicate member of an object', async () => {
    expect(await read('[{"a":1,"a":2}]')).toEqual([{ shown: { a: '2' }, duplicate: 'a' }])
  })

  it.each([
    ['nothing', ' ', 'the body is empty'],
    ['an HTML page', '<!doctype html>', 'HTML or XML'],
    ['an object', '{"a":1}', 'is not a list'],
    ['text', '"a"', 'is not a list'],
    ['UTF-16', Buffer.from('[1]', 'utf16le'), 'JSON'],
    ['an empty list', '[ ]', 'the list is empty'],
    ['a text that ends in an entry', '[{"a":1},{"a"', 'cut off after entry 1'],
    ['a text that ends behind a comma', '[1,', 'cut off after entry 1'],
    ['entries without a comma', '[{"a":1}{"a":2}]', 'entry 1: the body is not JSON'],
    ['a gap', '[1,,2]', 'an entry is missing'],
    ['brackets that do not match', '[{"a":1]}', 'brackets do not match'],
    ['a word', '[1,abc]', 'entry 2: the body is not JSON'],
    ['another encoding', Buffer.from('["\xe9"]', 'latin1'), 'not UTF-8'],
    ['more behind its end', '[1] [2]', 'text follows its end'],
    ['depth', '['.repeat(50), 'nested too deeply'],
  ])('do not exist in %s', async (_what, body, message) => {
    await expect(read(body)).rejects.toThrow(BrokenBody)
    await expect(read(body)).rejects.toThrow(message)
  })

  it.each([
    ['{"message":"no"}', 'the body has no list list'],
    ['{"list":{"a":[1]}}', 'the body has no list list'],
    ['{"list":[1],"list":[2]}', 'the body has list twice'],
    ['[1]', 'is not an object with list'],
    ['{"list":[1]', 'cut off after entry 1'],
  ])('of a member do not exist in %s', async (body, message) => {
    await expect(read(body, 'list')).rejects.toThrow(message)
  })

  it('hold one entry at a time, and none longer than 4 MB', async () => {
    const long = `["${'x'.repeat(5 * 1024 * 1024)}"]`
    await expect(read(long, null, 65_536)).rejects.toThrow('longer than 4 MB')
  })
})
