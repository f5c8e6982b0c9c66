import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FinishedReply } from '../../../platform/request/exchange.js'
import type { UnsentBytes } from './unsent-bytes.js'

/** Where a reply goes, and what counts the bytes of it that its client has not taken. */
export interface Sending {
  readonly clientAddress: string
  readonly unsent: UnsentBytes
  readonly isHead: boolean
}

/** Sends a reply; HEAD gets its headers alone. A stream resolves when all of it is handed to the connection, or it is gone. */
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

/** Pulls no faster than the client reads; ends the source when the client goes away. */
async function sendStream(
  response: ServerResponse,
  body: AsyncIterable<Uint8Array>,
  { clientAddress, unsent }: Sending,
): Promise<void> {
  response.flushHeaders()
  for await (const chunk of body) {
    if (response.closed || response.destroyed) return
    if (response.write(chunk)) continue
    const release = unsent.add(clientAddress, response.writableLength, () => response.destroy())
    await drained(response)
    release()
  }
  response.end()
}

async function drained(response: ServerResponse): Promise<void> {
  const done = new AbortController()
  try {
    await Promise.race([
      once(response, 'drain', { signal: done.signal }),
      once(response, 'close', { signal: done.signal }),
    ])
  } finally {
    done.abort()
  }
}
