import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib'
import type { Encoding } from '../../../platform/request/exchange.js'
import { BROTLI_QUALITY, GZIP_LEVEL, MAX_SYNC_BYTES } from './compression.js'

/**
 * A compressed text that a short tail can follow without compressing it again: the cached part of a response is
 * compressed once, and each response ends it in its own way.
 */
export interface OpenCompressed {
  readonly encoding: Encoding
  /** Complete up to a byte boundary; no block in it is the last. */
  readonly bytes: Buffer
  /** Of the text, for the trailer of gzip. */
  readonly crc: number
  readonly length: number
}

/** Most that a stored block of deflate, or an uncompressed meta-block of brotli with four nibbles, can hold. */
const MAX_TAIL_BYTES = 65_535

const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
const BROTLI_END = Buffer.from([3])

const DEFLATE = { level: GZIP_LEVEL, finishFlush: constants.Z_SYNC_FLUSH }
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY },
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
}
const deflateAsync = promisify(deflateRaw)
const brotliAsync = promisify(brotliCompress)

/** Compresses a text; a long one on a thread of the pool. */
export function compressOpen(encoding: Encoding, text: Buffer): OpenCompressed | Promise<OpenCompressed> {
  const of = (bytes: Buffer): OpenCompressed => ({
    encoding,
    bytes,
    crc: encoding === 'gzip' ? crc32(text) : 0,
    length: text.length,
  })
  if (text.length > MAX_SYNC_BYTES)
    return (encoding === 'br' ? brotliAsync(text, BROTLI) : deflateAsync(text, DEFLATE)).then(of)
  return of(encoding === 'br' ? brotliCompressSync(text, BROTLI) : deflateRawSync(text, DEFLATE))
}

/** The whole body: the text and its tail. Throws for a tail above 65,535 bytes. */
export function closeCompressed(stream: OpenCompressed, tail: Buffer): Buffer {
  if (tail.length > MAX_TAIL_BYTES) throw new Error(`a tail of ${tail.length} bytes`)
  return stream.encoding === 'br' ? closeBrotli(stream, tail) : closeGzip(stream, tail)
}

/** RFC 1951 §3.2.4 and RFC 1952 §2.3: the tail as a last stored block, then CRC-32 and length. */
function closeGzip({ bytes, crc, length }: OpenCompressed, tail: Buffer): Buffer {
  const block = Buffer.alloc(5)
  block.writeUInt8(1, 0)
  block.writeUInt16LE(tail.length, 1)
  block.writeUInt16LE(~tail.length & 0xffff, 3)
  const trailer = Buffer.alloc(8)
  // Of an empty buffer without memory of its own zlib says 0, whatever came before.
  trailer.writeUInt32LE(tail.length === 0 ? crc : crc32(tail, crc), 0)
  trailer.writeUInt32LE((length + tail.length) >>> 0, 4)
  return Buffer.concat([GZIP_HEADER, bytes, block, tail, trailer])
}

/** RFC 7932 §9.2: an uncompressed meta-block (not last, four nibbles of length - 1, uncompressed), then an empty last one. */
function closeBrotli({ bytes }: OpenCompressed, tail: Buffer): Buffer {
  if (tail.length === 0) return Buffer.concat([bytes, BROTLI_END])
  const header = Buffer.alloc(3)
  header.writeUIntLE(((tail.length - 1) << 3) | (1 << 19), 0, 3)
  return Buffer.concat([bytes, header, tail, BROTLI_END])
}
