import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from 'node:zlib'
import { ENCODINGS, type Encoding } from '../../../platform/request/exchange.js'
import { weightedList } from '../../weighted-list.js'

/** Smaller bodies gain less than their headers cost. */
export const MIN_COMPRESSED_BYTES = 1_024

/** Longer bodies are compressed on a thread of the pool, because they would delay other requests. */
export const MAX_SYNC_BYTES = 16 * 1024

/** JSON of market data shrinks to a tenth at these levels. Higher levels take several times as long for a few per cent. */
export const GZIP_LEVEL = 5
export const BROTLI_QUALITY = 4

const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }
const GZIP_OPTIONS = { level: GZIP_LEVEL }

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)

/** The supported coding with the highest weight in an Accept-Encoding header; null if it accepts none. */
export function acceptedEncoding(header: string | null): Encoding | null {
  if (header === null || header === '') return null
  const weights = new Map(weightedList(header).map(({ name, weight }) => [name, weight]))
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  let best: Encoding | null = null
  for (const encoding of ENCODINGS) {
    if (weightOf(encoding) > (best === null ? 0 : weightOf(best))) best = encoding
  }
  return best
}

export function compress(body: Buffer, encoding: Encoding): Buffer | Promise<Buffer> {
  if (body.length > MAX_SYNC_BYTES)
    return encoding === 'br' ? brotliAsync(body, BROTLI_OPTIONS) : gzipAsync(body, GZIP_OPTIONS)
  return encoding === 'br' ? brotliCompressSync(body, BROTLI_OPTIONS) : gzipSync(body, GZIP_OPTIONS)
}

export function compressStream(
  body: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncIterable<Uint8Array> {
  const coder = encoding === 'br' ? createBrotliCompress(BROTLI_OPTIONS) : createGzip(GZIP_OPTIONS)
  const source = Readable.from(body, { objectMode: false })
  source.on('error', (error) => coder.destroy(error))
  coder.on('close', () => source.destroy())
  return source.pipe(coder)
}
