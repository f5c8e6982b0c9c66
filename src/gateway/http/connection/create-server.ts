import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'

export interface ConnectionLimits {
  /** Longest that a client may take for its headers, milliseconds; and for the whole request. */
  readonly headersMs: number
  readonly requestMs: number
  /** How often the two are looked at: node's own half a minute would let a slow client stay four times as long. */
  readonly checkMs: number
  /** Longer than load balancers keep connections, so that they are the ones to close them. */
  readonly keepAliveMs: number
  /**
   * A client that has taken nothing of its response for twice this long is gone: node restarts the time once, when the
   * socket was last written to in part.
   */
  readonly stalledMs: number
  /** Beyond it new connections are refused; each takes some 20 kB, and a file descriptor. */
  readonly maxConnections: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkMs: 1_000,
  keepAliveMs: 65_000,
  stalledMs: 15_000,
  maxConnections: 10_000,
}

/** On Node 24 a request without a body then makes no stream events; older ones and their types do not know it. */
const WITHOUT_EMPTY_STREAMS = { optimizeEmptyRequests: true }

/** A server on which no client can hold a connection without making progress. */
export function createServer(
  listener: RequestListener,
  limits: ConnectionLimits = CONNECTION_LIMITS,
): Server {
  const { stalledMs } = limits
  const server = createHttpServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      keepAliveTimeout: limits.keepAliveMs,
      ...WITHOUT_EMPTY_STREAMS,
    },
    listener,
  )
  server.maxConnections = limits.maxConnections
  // Node counts a write that makes progress as activity, so silence with bytes to send is a client that does not read.
  server.setTimeout(stalledMs, (socket: Socket) => {
    if (socket.writableLength > 0) socket.destroy()
    else socket.setTimeout(stalledMs) // it waits for us: a long poll, or an event stream
  })
  return server
}
