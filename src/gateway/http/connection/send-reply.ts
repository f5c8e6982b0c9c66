import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FinishedReply } from '../../../platform/request/exchange.js'
import { cutOff } from './cut-off.js'
import type { UnsentBytes } from './unsent-bytes.js'

/** A connection without a reader loses its reply after this time. Half a kilobyte per second is enough to keep it. */
const STALLED_MS = 120_000

/** The recipient of a reply, and the counter of its unsent bytes. */
export interface Sending {
  readonly clientAddress: string
  readonly unsent: UnsentBytes
  readonly isHead: boolean
  /** Default: STALLED_MS. */
  readonly stalledMs?: number
}

/** Sends a reply; HEAD gets only its headers. For a stream, resolves when all of it is written or the connection is closed. */
export function sendReply(
  response: ServerResponse,
  { status, headers, body, charset = 'utf8' }: FinishedReply,
  sending: Sending,
): void | Promise<void> {
  const { clientAddress, unsent, isHead } = sending
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    const length = typeof body === 'string' ? Buffer.byteLength(body, charset) : body.length
    headers.push('content-length', String(length))
    response.writeHead(status, headers)
    if (isHead) response.end()
    else {
      response.end(body, charset)
      unsent.watch(clientAddress, response)
    }
    return
  }
  response.writeHead(status, headers)
  if (body !== null && !isHead) return sendStream(response, body, sending)
  response.end()
  if (body !== null) return endUnread(body)
}

async function endUnread(body: AsyncIterable<Uint8Array>): Promise<void> {
  await body[Symbol.asyncIterator]().return?.()
}

/** Reads the source no faster than the client reads, and ends it when the client disconnects. */
async function sendStream(
  response: ServerResponse,
  body: AsyncIterable<Uint8Array>,
  { clientAddress, unsent, stalledMs = STALLED_MS }: Sending,
): Promise<void> {
  response.flushHeaders()
  for await (const chunk of body) {
    if (response.closed || response.destroyed) return
    if (response.write(chunk)) continue
    const release = unsent.add(clientAddress, response.writableLength, () => cutOff(response))
    await drained(response, stalledMs)
    release()
  }
  response.end()
}

/** Waits until the client has read what was written; closes the connection if it reads nothing for too long. */
async function drained(response: ServerResponse, stalledMs: number): Promise<void> {
  const done = new AbortController()
  const stalled = setTimeout(() => cutOff(response), stalledMs)
  try {
    await Promise.race([
      once(response, 'drain', { signal: done.signal }),
      once(response, 'close', { signal: done.signal }),
    ])
  } finally {
    clearTimeout(stalled)
    done.abort()
  }
}
