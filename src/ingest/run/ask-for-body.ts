import type { DownloadClient, HttpClient } from '../../platform/http-client/http-client.js'
import { redactUrl } from '../../platform/http-client/redact-url.js'
import { UpstreamError } from '../../platform/http-client/upstream-error.js'
import { type FeedRequest, IngestError, NotInFormat, RetryLater } from '../feed.js'
import { type DownloadBody, type FetchBody, MAX_STREAM_BYTES, MAX_WHOLE_BYTES } from './feed-body.js'

/** Long, because bulk files are slow at times and no client waits for an ingestion. */
const FETCH_TIMEOUT_MS = 120_000
const DOWNLOAD_TIMEOUT_MS = 3_600_000
const FETCH_RETRIES = 3

/** Fetches over the application's HTTP client with the limits of ingestion; anything but 200 and `noDataStatus` is an error, and RetryLater while the provider rests. */
export function fetchBodyWith(client: HttpClient): FetchBody {
  return async (request) => {
    const limits = { timeoutMs: FETCH_TIMEOUT_MS, maxBytes: MAX_WHOLE_BYTES, retries: FETCH_RETRIES }
    const method = request.body === undefined ? 'GET' : 'POST'
    const { status, body } = await orLater(client.request({ ...request, method, ...limits }))
    if (status === request.noDataStatus) return new Uint8Array()
    assertStatus(request, status)
    if (request.noDataStatus !== undefined && body.length === 0) {
      throw new IngestError(`${redactUrl(request.url)} answered with an empty body`)
    }
    return body
  }
}

/** Downloads over the application's HTTP client; anything but 200 is an error, and RetryLater while the provider rests. */
export function downloadBodyWith(client: DownloadClient): DownloadBody {
  return async (request, path) => {
    const limits = { timeoutMs: DOWNLOAD_TIMEOUT_MS, maxBytes: MAX_STREAM_BYTES, retries: FETCH_RETRIES }
    const { status } = await orLater(client.download({ ...request, ...limits }, path))
    assertStatus(request, status)
  }
}

/** How a run fetches and downloads over that client. */
export function transportsWith(client: HttpClient & DownloadClient) {
  return { fetchBody: fetchBodyWith(client), downloadBody: downloadBodyWith(client) }
}

const RESTING: ReadonlySet<string> = new Set(['blocked', 'rate_used_up'])

/** The other bodies of the run would get the same answer from a provider that rests. */
async function orLater<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof UpstreamError && (RESTING.has(error.kind) || error.status === 429))
      throw new RetryLater(error.message, error.retryAfterMs)
    throw error
  }
}

function assertStatus(request: FeedRequest, status: number): void {
  const refusal = request.refusals?.[status]
  if (refusal !== undefined) throw new NotInFormat(`status ${status}: ${refusal}`)
  if (status !== 200) throw new IngestError(`${redactUrl(request.url)} answered with status ${status}`)
}
