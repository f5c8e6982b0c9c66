import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_SYNC_BYTES } from '../../../../src/gateway/http/response/compression.js'
import { closeCompressed, compressOpen } from '../../../../src/gateway/http/response/open-compressed.js'
import { ENCODINGS, type Encoding } from '../../../../src/platform/request/exchange.js'

const MAX_TEXT_BYTES = 200_000
const MAX_TAIL_BYTES = 65_535

/** Decoders that refuse bytes after the end, as strict clients do. */
const DECODE: Readonly<Record<Encoding, (body: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
}

/** Bytes that look like market data, or like nothing at all: one shrinks, the other does not. */
const text = (maxBytes: number) =>
  fc
    .record({ bytes: fc.nat(maxBytes), seed: fc.nat(0xffff), isJson: fc.boolean() })
    .map(({ bytes, seed, isJson }) => (isJson ? jsonOf(bytes, seed) : noiseOf(bytes, seed)))

function jsonOf(bytes: number, seed: number): Buffer {
  const line = (row: number) => `{"date":"2026-01-${row % 28}","rate":${((seed + row) % 9973) / 7}},`
  const lines: string[] = []
  for (let length = 0, row = 0; length < bytes; row++) {
    lines.push(line(row))
    length += line(row).length
  }
  return Buffer.from(lines.join('')).subarray(0, bytes)
}

function noiseOf(bytes: number, seed: number): Buffer {
  const noise = Buffer.alloc(bytes)
  for (let at = 0, state = seed + 1; at < bytes; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    noise[at] = state >>> 16
  }
  return noise
}

describe.each(ENCODINGS)('an open stream in %s', (encoding) => {
  const decoded = async (head: Buffer, ...tails: readonly Buffer[]) => {
    const stream = await compressOpen(encoding, head)
    return tails.map((tail) => DECODE[encoding](closeCompressed(stream, tail)))
  }

  it('decodes to its text and the tail, whatever their sizes', async () => {
    await fc.assert(
      fc.asyncProperty(text(MAX_TEXT_BYTES), text(300), async (head, tail) => {
        const [body] = await decoded(head, tail)
        expect(body?.equals(Buffer.concat([head, tail]))).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('can be closed by many tails, one after another', async () => {
    await fc.assert(
      fc.asyncProperty(text(2_000), fc.array(text(100), { maxLength: 5 }), async (head, tails) => {
        const bodies = await decoded(head, ...tails)
        expect(bodies.map(String)).toEqual(tails.map((tail) => String(Buffer.concat([head, tail]))))
      }),
      { numRuns: 50 },
    )
  })

  it.each([0, 1, 2, 255, 256, 1_023, 4_096, MAX_SYNC_BYTES, MAX_SYNC_BYTES + 1, 65_536, MAX_TEXT_BYTES])(
    'decodes at %i bytes with every kind of tail',
    async (bytes) => {
      for (const make of [jsonOf, noiseOf]) {
        const head = make(bytes, bytes)
        const tails = [0, 1, 40, MAX_TAIL_BYTES].map((size) => make(size, 7))
        const bodies = await decoded(head, ...tails)
        for (const [index, tail] of tails.entries())
          expect(bodies[index]?.equals(Buffer.concat([head, tail]))).toBe(true)
      }
    },
  )

  it('is computed at once for a short text and on another thread for a long one', async () => {
    expect(compressOpen(encoding, jsonOf(MAX_SYNC_BYTES, 1))).not.toBeInstanceOf(Promise)
    expect(compressOpen(encoding, jsonOf(MAX_SYNC_BYTES + 1, 1))).toBeInstanceOf(Promise)
  })

  it('is smaller than its text if the text repeats itself', async () => {
    const head = jsonOf(MAX_TEXT_BYTES, 1)
    const body = closeCompressed(await compressOpen(encoding, head), Buffer.from('}'))
    expect(body.length).toBeLessThan(head.length / 4)
  })

  it('refuses a tail that is too long for an uncompressed block', async () => {
    const stream = await compressOpen(encoding, Buffer.from('text'))
    expect(() => closeCompressed(stream, Buffer.alloc(MAX_TAIL_BYTES + 1))).toThrow('a tail of 65536 bytes')
  })
})
