import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { type HttpClient, redactUrl, UpstreamError } from '../platform/http-client/http-client.js'
import { type Feed, type FeedRequest, IngestError } from './feed.js'

/** The largest body of any provider here (the whole SDMX history with all columns) is under 100 MB. */
const MAX_FEED_BYTES = 256 * 1024 * 1024

/** Bulk files come slowly at times; nobody waits for an ingestion. */
const FETCH_TIMEOUT_MS = 120_000
const FETCH_RETRIES = 3

/** Where a run takes its body from. */
export type BodySource =
  | { readonly kind: 'live' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly origin: string }

/** Gets a body from its provider; throws IngestError or UpstreamError. */
export type FetchBody = (request: FeedRequest) => Promise<Uint8Array>

/** Where the body comes from, for the ledger: a redacted URL or a file's name without its directory. */
export function bodyOriginOf(feed: Feed<unknown>, source: BodySource, now: Date): string {
  if (source.kind === 'bytes') return source.origin
  if (source.kind === 'file') return basename(source.path)
  const request = feed.request(now)
  return request === null ? feed.id : redactUrl(request.url)
}

/** The raw body; throws IngestError with a sentence for the operator when it cannot be had. */
export async function readFeedBody(
  feed: Feed<unknown>,
  source: BodySource,
  from: { readonly now: Date; readonly fetchBody: FetchBody },
): Promise<Uint8Array> {
  if (source.kind === 'bytes') return source.bytes
  if (source.kind === 'file') return readBodyFile(source.path)
  const request = feed.request(from.now)
  if (request === null) throw new IngestError(`${feed.id} has no live source; give it a file`)
  try {
    return await from.fetchBody(request)
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    throw new IngestError(`the live source of ${feed.id} did not deliver: ${error.message}`, { cause: error })
  }
}

/** Fetches over the application's HTTP client with the limits of ingestion; anything but 200 is an error. */
export function fetchBodyWith(client: HttpClient): FetchBody {
  return async ({ url, headers }) => {
    const { status, body } = await client.request({
      url,
      headers,
      timeoutMs: FETCH_TIMEOUT_MS,
      maxBytes: MAX_FEED_BYTES,
      retries: FETCH_RETRIES,
    })
    if (status !== 200) throw new IngestError(`${redactUrl(url)} answered with status ${status}`)
    return body
  }
}

async function readBodyFile(path: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(path)
    if (size > MAX_FEED_BYTES) {
      throw new IngestError(`${path} is larger than ${MAX_FEED_BYTES / 1024 / 1024} MB`)
    }
    return await readFile(path)
  } catch (error) {
    if (error instanceof IngestError) throw error
    throw new IngestError(`${path} cannot be read: ${fileTrouble(error)}`, { cause: error })
  }
}

function fileTrouble(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file'
  if (code === 'EISDIR') return 'it is a directory'
  if (code === 'EACCES' || code === 'EPERM') return 'no permission'
  return code || 'unknown trouble'
}
