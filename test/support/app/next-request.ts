import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Where node:http says that a server has read the header of a request, also of one that waits for those before it. */
const RECEIVED = 'http.server.request.start'

/** A request as the server sees it. */
export interface ServerRequest {
  /** Resolves once the server has received it. */
  readonly received: Promise<void>
  /** Resolves once the server has seen its end: the response has gone out, or the client has gone away. */
  readonly closed: Promise<void>
}

/** The next request for this path and query that a server of this process receives; called before it is sent. */
export function nextRequest(url: string): ServerRequest {
  let isReceived = () => {}
  let isClosed = () => {}
  const received = new Promise<void>((resolve) => {
    isReceived = resolve
  })
  const closed = new Promise<void>((resolve) => {
    isClosed = resolve
  })
  const note = (message: unknown) => {
    // As node:http documents the messages of this channel.
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    if (request.url !== url) return
    unsubscribe(RECEIVED, note)
    response.once('close', isClosed)
    isReceived()
  }
  subscribe(RECEIVED, note)
  return { received, closed }
}
