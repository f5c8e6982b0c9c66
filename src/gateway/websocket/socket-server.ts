import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { handleProtocols } from 'graphql-ws'
import { type WebSocket, WebSocketServer } from 'ws'
import { ApiError } from '../../core/errors.js'
import { InFlight } from '../../core/in-flight.js'
import type { Origins } from '../../core/origins.js'
import { BurstGuard } from '../../platform/counters/burst-guard.js'
import { MAX_BODY_BYTES } from '../http/connection/read-body.js'
import { refuseUpgrade } from '../http/connection/refuse-upgrade.js'
import { requestHeader } from '../http/connection/request-header.js'
import { requestOrigin } from '../http/connection/request-origin.js'
import { readTarget } from '../http/connection/request-target.js'
import type { TakeUpgrade } from '../http/connection/upgrades.js'
import type { OriginOf } from '../http/identity/origin.js'
import { tooManyRequests } from '../http/limits/burst.js'
import { foreignPage, isAllowedOrigin } from '../http/response/cors.js'
import { GRAPHQL_PATH } from '../paths.js'
import { end } from './connection.js'
import { type SocketOptions, serveSocket } from './socket.js'

export interface SocketServerOptions extends Omit<SocketOptions, 'frames' | 'accounts'> {
  readonly originOf: OriginOf
  /** Whose pages may connect, beside those of the gateway itself: browsers ask nobody before they open a WebSocket. */
  readonly corsOrigins: Origins
  /** Frames a minute and address, of all its connections; and attempts to open one. */
  readonly framesPerMinute: number
}

export interface SocketServer {
  readonly take: TakeUpgrade
  /** Closes every connection with the reason, and terminates those whose client does not close. */
  drain(): void
}

/** WebSockets at the GraphQL endpoint. Each operation is handled as a request over HTTP: see `socket.ts`. */
export function createSocketServer({
  originOf,
  corsOrigins,
  framesPerMinute,
  ...options
}: SocketServerOptions): SocketServer {
  const frames = new BurstGuard(framesPerMinute)
  const accounts = new InFlight()
  const open = new Set<WebSocket>()
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // A context for compression takes memory per connection, and each event is written once per client.
    perMessageDeflate: false,
    maxPayload: MAX_BODY_BYTES,
    handleProtocols,
  })
  const problemOf = (request: IncomingMessage, origin: string): ApiError | null => {
    if (options.isDraining()) return new ApiError('service_unavailable', { message: 'The gateway stops.' })
    if (!mayConnect(request, corsOrigins)) return foreignPage()
    const verdict = frames.allow(origin, options.clock.now())
    return verdict.allowed ? null : tooManyRequests('address', verdict.retryAt)
  }
  const take = (request: IncomingMessage, socket: Duplex, head: Buffer): boolean => {
    if (!isForUs(request)) return false
    socket.on('error', () => socket.destroy()) // until it is a WebSocket, which has a listener of its own
    const origin = requestOrigin(request, originOf)
    const problem = problemOf(request, origin)
    if (problem !== null) refuseUpgrade(request, socket, { ...options, origin, problem })
    else
      server.handleUpgrade(request, socket, head, (client) => {
        open.add(client)
        client.once('close', () => open.delete(client))
        serveSocket(client, { request, origin }, { ...options, frames, accounts })
      })
    return true
  }
  return {
    take,
    drain: () => {
      for (const client of open) end(client, 1001, 'The gateway stops.')
    },
  }
}

/** Programs send no origin; a page of the gateway has the host that it connects to. */
function mayConnect(request: IncomingMessage, origins: Origins): boolean {
  const origin = requestHeader(request, 'origin')
  if (origin === null || isAllowedOrigin(origin, origins)) return true
  return URL.canParse(origin) && new URL(origin).host === requestHeader(request, 'host')
}

/** What asks for another protocol or path, or can not be read, is answered as a request. */
function isForUs(request: IncomingMessage): boolean {
  if (requestHeader(request, 'upgrade')?.toLowerCase() !== 'websocket' || request.method !== 'GET')
    return false
  try {
    return readTarget(request).path === GRAPHQL_PATH
  } catch {
    return false // it is refused there, with the reason
  }
}
