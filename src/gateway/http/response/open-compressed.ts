import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib'
import type { Encoding } from '../../../platform/request/exchange.js'
import { BROTLI_QUALITY, GZIP_LEVEL, MAX_SYNC_BYTES } from './compression.js'

/**
 * A compressed text to which a short tail can be added without compressing it again. The cached part of a response is
 * compressed once, and each response adds its own end.
 */
export interface OpenCompressed {
  readonly encoding: Encoding
  /** Ends at a byte boundary, without a final block. */
  readonly bytes: Buffer
  /** Checksum of the text, for the trailer of gzip. */
  readonly crc: number
  readonly length: number
}

/** Maximum size of a stored block of deflate, and of an uncompressed meta-block of brotli with four nibbles. */
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

/** Compresses a text; long texts on a thread of the pool. */
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

/** Returns the whole body: the text and its tail. Throws for a tail above 65,535 bytes. */
export function closeCompressed(stream: OpenCompressed, tail: Buffer): Buffer {
  if (tail.length > MAX_TAIL_BYTES)
    throw new Error(`a tail of ${tail.length} bytes exceeds ${MAX_TAIL_BYTES}`)
  return stream.encoding === 'br' ? closeBrotli(stream, tail) : closeGzip(stream, tail)
}

/** RFC 1951 §3.2.4 and RFC 1952 §2.3: the tail as a last stored block, then CRC-32 and length. */
function closeGzip({ bytes, crc, length }: OpenCompressed, tail: Buffer): Buffer {
  const block = Buffer.alloc(5)
  block.writeUInt8(1, 0)
  block.writeUInt16LE(tail.length, 1)
  block.writeUInt16LE(~tail.length & 0xffff, 3)
  const trailer = Buffer.alloc(8)
  // For an empty buffer zlib may return 0 instead of the previous checksum.
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
