import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  acceptedEncoding,
  compress,
  compressStream,
  MAX_SYNC_BYTES,
} from '../../../../src/gateway/http/response/compression.js'
import { ENCODINGS } from '../../../../src/platform/request/exchange.js'

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync } as const

describe('the coding of a response', () => {
  it.each([
    [null, null],
    ['', null],
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, br;q=0.9', 'gzip'],
    ['br;q=0.5, gzip;q=0.5', 'br'],
    ['gzip ; q=0.3 , br ; q=0.2', 'gzip'],
    ['identity', null],
    ['deflate, zstd', null],
    ['gzip;q=0', null],
    ['br;q=0, gzip;q=0.0', null],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0', null],
    ['br;q=0, *', 'gzip'],
    ['gzip, *;q=0', 'gzip'],
    ['*;q=0.1, gzip;q=0.2', 'gzip'],
    ['identity;q=0, *;q=0', null],
    ['gzip;q=nonsense', null],
    ['brotli', null],
    ['x-gzip', null],
    [',;,', null],
  ])('for Accept-Encoding %j is %s', (header, encoding) => {
    expect(acceptedEncoding(header)).toBe(encoding)
  })
})

describe.each(ENCODINGS)('a body in %s', (encoding) => {
  it.each([0, 1, 1_024, MAX_SYNC_BYTES, MAX_SYNC_BYTES + 1, 1_000_000])(
    'of %i bytes decodes to what it was',
    async (bytes) => {
      const body = Buffer.from(Array.from({ length: bytes }, (_, at) => (at * at) % 251))
      const made = compress(body, encoding)
      expect(made instanceof Promise).toBe(bytes > MAX_SYNC_BYTES)
      expect(DECODE[encoding](await made).equals(body)).toBe(true)
    },
  )
})

describe.each(ENCODINGS)('a stream in %s', (encoding) => {
  async function* chunks(count: number, onEnd: () => void = () => {}): AsyncGenerator<Uint8Array> {
    try {
      for (let index = 0; index < count; index++) yield Buffer.from(`${index},`.repeat(1_000))
    } finally {
      onEnd()
    }
  }

  it.each([0, 1, 100])('of %i chunks decodes to the original', async (count) => {
    const plain = await buffer(chunks(count))
    expect(DECODE[encoding](await buffer(compressStream(chunks(count), encoding))).equals(plain)).toBe(true)
  })

  it('ends its source when its reader leaves', async () => {
    const ended = new Promise<void>((resolve) => {
      const reader = compressStream(chunks(1_000_000, resolve), encoding)[Symbol.asyncIterator]()
      void reader.next().then(() => reader.return?.())
    })
    await ended
  })

  it('fails with its source', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('one')
      throw new Error('the source failed')
    }
    await expect(buffer(compressStream(failing(), encoding))).rejects.toThrow('the source failed')
  })
})
