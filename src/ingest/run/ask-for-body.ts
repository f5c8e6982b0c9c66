import { open } from 'node:fs/promises'
import { type DownloadClient, type HttpClient, redactUrl } from '../../platform/http-client/http-client.js'
import { UpstreamError } from '../../platform/http-client/upstream-error.js'
import { type FeedRequest, IngestError, RetryLater } from '../feed.js'
import { type DownloadBody, type FetchBody, MAX_STREAM_BYTES, MAX_WHOLE_BYTES } from './feed-body.js'

/** Long, because bulk files are slow at times and no client waits for an ingestion. */
const FETCH_TIMEOUT_MS = 120_000
const DOWNLOAD_TIMEOUT_MS = 3_600_000
const FETCH_RETRIES = 3

/** Fetches over the application's HTTP client with the limits of ingestion; anything but 200 is an error. */
export function fetchBodyWith(client: HttpClient): FetchBody {
  return async (request) => {
    const limits = { timeoutMs: FETCH_TIMEOUT_MS, maxBytes: MAX_WHOLE_BYTES, retries: FETCH_RETRIES }
    const method = request.body === undefined ? 'GET' : 'POST'
    const { status, body } = await unlessShutOut(request, client.request({ ...request, method, ...limits }))
    assertStatus(request, status)
    assertNoErrorPage(request, body)
    return body
  }
}

/** Downloads over the application's HTTP client; anything but 200 is an error. */
export function downloadBodyWith(client: DownloadClient): DownloadBody {
  return async (request, path) => {
    const limits = { timeoutMs: DOWNLOAD_TIMEOUT_MS, maxBytes: MAX_STREAM_BYTES, retries: FETCH_RETRIES }
    const { status } = await unlessShutOut(request, client.download({ ...request, ...limits }, path))
    assertStatus(request, status)
    if (request.shutOutMs !== undefined) assertNoErrorPage(request, await beginningOf(path))
  }
}

async function unlessShutOut<Answer>(request: FeedRequest, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof UpstreamError && error.status === 429) assertNotShutOut(request, 'status 429')
    throw error
  }
}

function assertStatus(request: FeedRequest, status: number): void {
  if (status === 200) return
  if (status === 403) assertNotShutOut(request, 'status 403')
  throw new IngestError(`${redactUrl(request.url)} answered with status ${status}`)
}

const PAGE = /^[\s\ufeff]*<(!doctype html|html)/i

/** An HTML page names its type in the first bytes, after blanks at most. */
const PAGE_PREFIX_BYTES = 400

function assertNoErrorPage(request: FeedRequest, body: Uint8Array): void {
  if (PAGE.test(new TextDecoder().decode(body.subarray(0, PAGE_PREFIX_BYTES))))
    assertNotShutOut(request, 'a page')
}

async function beginningOf(path: string): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PAGE_PREFIX_BYTES), 0, PAGE_PREFIX_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Throws RetryLater if the provider is known to block addresses. */
function assertNotShutOut({ url, shutOutMs }: FeedRequest, answer: string): void {
  if (shutOutMs === undefined) return
  const minutes = Math.round(shutOutMs / 60_000)
  const wait = `it blocks this address for ${minutes} minutes`
  throw new RetryLater(`${new URL(url).host} answers with ${answer}: ${wait}`, shutOutMs)
}
