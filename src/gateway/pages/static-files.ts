import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Encoding, Exchange, Reply } from '../../platform/request/exchange.js'

const brotliAsync = promisify(brotliCompress)
const gzipAsync = promisify(gzip)

/** Brotli level 5 compresses the largest script (5 MB) in 0.25 s. Level 11 takes 10 s and saves only a few per cent. */
const BROTLI_LEVEL = 5

type Load = () => Promise<Buffer>

/** A body that never changes while the process runs. */
export interface StaticFile {
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  /** Weak, because the body is sent in several encodings. */
  readonly etag: string
  /** The bytes, or a function that loads them on request. */
  readonly body: Buffer | Load
  /** Compressed bodies. The first request for an encoding creates its body. */
  readonly compressed: Map<Encoding, Promise<Buffer>>
}

/** Creates a file whose ETag is the hash of its text. */
export function textFile(
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>>,
): StaticFile {
  return staticFile(contentType, shortHash(text), headers, Buffer.from(text))
}

/** Creates a file whose ETag is `version`, so that the content can be loaded later. */
export function staticFile(
  contentType: string,
  version: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer | Load,
): StaticFile {
  return { contentType, headers, etag: `W/"${version}"`, body, compressed: new Map() }
}

/** First 16 characters of the base64url SHA-256 of a text. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

/** Creates the reply to GET and HEAD: 304 if the client has the file, else the body. */
export function serveFile(file: StaticFile, exchange: Exchange): Reply {
  const common = Object.entries({ ...file.headers, etag: file.etag }).flat()
  if (matchesEtag(exchange.header('if-none-match'), file.etag)) {
    return { status: 304, headers: common, body: null }
  }
  const headers = [...common, 'content-type', file.contentType]
  const encoded = (encoding: Encoding) => compressedBody(file, encoding)
  return {
    status: 200,
    headers,
    body: typeof file.body === 'function' ? loaded(file.body) : file.body,
    encoded,
  }
}

/** A generator loads the body only if it is sent uncompressed. */
async function* loaded(load: Load): AsyncGenerator<Buffer> {
  yield await load()
}

/** Compresses a file once per encoding. After an error the next request tries again. */
function compressedBody(file: StaticFile, encoding: Encoding): Promise<Buffer> {
  const known = file.compressed.get(encoding)
  if (known) return known
  const compressOne = COMPRESS[encoding]
  const body = Buffer.isBuffer(file.body) ? compressOne(file.body) : file.body().then(compressOne)
  file.compressed.set(encoding, body)
  body.catch(() => file.compressed.delete(encoding))
  return body
}

const COMPRESS: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL } }),
  gzip: (body) => gzipAsync(body),
}

/** Weak comparison of RFC 9110 §13.1.2. */
function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  const bare = (tag: string) => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => bare(tag) === bare(etag))
}
