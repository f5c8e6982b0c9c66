import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Encoding, Exchange, Reply } from '../../platform/request/exchange.js'
import { acceptedEncoding } from '../response/compression.js'

const brotliAsync = promisify(brotliCompress)
const gzipAsync = promisify(gzip)

/** Brotli level 5 packs the largest script (5 MB) in a quarter of a second; 11 takes ten for a few per cent less. */
const BROTLI_LEVEL = 5

/** A body that never changes while the process runs. */
export interface StaticFile {
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  /** Weak, since the body travels in several encodings. */
  readonly etag: string
  readonly load: () => Promise<Buffer>
  /** Compressed bodies, each made by the first request that wants it. */
  readonly compressed: Map<Encoding, Promise<Buffer>>
}

/** A file of this text, known by the hash of it. */
export function textFile(
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>>,
): StaticFile {
  const body = Buffer.from(text)
  return staticFile(contentType, shortHash(text), headers, async () => body)
}

/** A file whose content is settled by `version`, so that it need not be read before it is asked for. */
export function staticFile(
  contentType: string,
  version: string,
  headers: Readonly<Record<string, string>>,
  load: () => Promise<Buffer>,
): StaticFile {
  return { contentType, headers, etag: `W/"${version}"`, load, compressed: new Map() }
}

/** First 16 characters of the base64url SHA-256 of a text. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

/** The reply to GET and HEAD for a file: 304 where the client has it, else the body in the coding it prefers. */
export async function serveFile(file: StaticFile, exchange: Exchange): Promise<Reply> {
  const common = Object.entries({ vary: 'Accept-Encoding', ...file.headers, etag: file.etag }).flat()
  if (matchesEtag(exchange.header('if-none-match'), file.etag)) {
    return { status: 304, headers: common, body: null }
  }
  const encoding = acceptedEncoding(exchange.header('accept-encoding'))
  const body = encoding === null ? await file.load() : await compressedBody(file, encoding)
  const coding = encoding === null ? [] : ['content-encoding', encoding]
  return { status: 200, headers: [...common, 'content-type', file.contentType, ...coding], body }
}

/** Compresses once per encoding; what failed is tried again by the next request. */
function compressedBody(file: StaticFile, encoding: Encoding): Promise<Buffer> {
  const known = file.compressed.get(encoding)
  if (known) return known
  const body = file.load().then((plain) => COMPRESS[encoding](plain))
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
