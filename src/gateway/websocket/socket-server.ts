import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { handleProtocols } from 'graphql-ws'
import { type WebSocket, WebSocketServer } from 'ws'
import type { CorsOrigins } from '../../config/cors-origins.js'
import { ApiError } from '../../core/errors.js'
import { InFlight } from '../../core/in-flight.js'
import { BurstGuard } from '../../platform/quota/burst-guard.js'
import { MAX_BODY_BYTES } from '../http/connection/read-body.js'
import { rejectUpgrade } from '../http/connection/reject-upgrade.js'
import { requestClientAddress } from '../http/connection/request-client-address.js'
import { requestHeader } from '../http/connection/request-header.js'
import { parseTarget } from '../http/connection/request-target.js'
import type { Upgrades } from '../http/connection/upgrades.js'
import type { HashAddress } from '../http/identity/address-hash.js'
import { tooManyRequests } from '../http/limits/burst.js'
import { isAllowedOrigin, originNotAllowed } from '../http/response/cors.js'
import { GRAPHQL_PATH } from '../paths.js'
import { closeSocket } from './connection.js'
import { type SocketOptions, serveSocket } from './socket.js'

export interface SocketServerOptions extends Omit<SocketOptions, 'frames' | 'accounts'> {
  readonly hashAddress: HashAddress
  /** Origins whose pages may connect, besides the gateway's own. Browsers send no preflight before a WebSocket. */
  readonly corsOrigins: CorsOrigins
  /** Limit per minute and address for the frames of all its connections and for attempts to connect. */
  readonly framesPerMinute: number
}

export interface SocketServer {
  readonly upgrades: Upgrades
  /** Closes every connection, and terminates those whose client does not close. */
  drain(): void
}

/** Serves WebSockets at the GraphQL endpoint. The pipeline handles each operation like an HTTP request: see `protocol.ts`. */
export function createSocketServer({
  hashAddress,
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
    // Compression would need memory per connection and CPU time per client and event.
    perMessageDeflate: false,
    maxPayload: MAX_BODY_BYTES,
    handleProtocols,
  })
  const problemOf = (request: IncomingMessage, clientAddress: string): ApiError | null => {
    if (options.isDraining())
      return new ApiError('service_unavailable', { message: 'The gateway is stopping; connect again.' })
    if (!mayConnect(request, corsOrigins)) return originNotAllowed()
    const verdict = frames.allow(clientAddress, options.clock.now())
    return verdict.allowed ? null : tooManyRequests('address', verdict)
  }
  const take = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy()) // the WebSocket replaces this listener by its own
    const clientAddress = requestClientAddress(request, hashAddress)
    const problem = problemOf(request, clientAddress)
    if (problem !== null) rejectUpgrade(request, socket, { ...options, clientAddress, problem })
    else
      server.handleUpgrade(request, socket, head, (client) => {
        open.add(client)
        client.once('close', () => open.delete(client))
        serveSocket(client, { request, clientAddress }, { ...options, frames, accounts })
      })
  }
  return {
    upgrades: { isFor: isForUs, take },
    drain: () => {
      for (const client of open) closeSocket(client, 1001, 'The gateway is stopping; connect again.')
    },
  }
}

/** Programs send no Origin. The gateway's own pages have an Origin with the requested host. */
function mayConnect(request: IncomingMessage, origins: CorsOrigins): boolean {
  const origin = requestHeader(request, 'origin')
  if (origin === null || isAllowedOrigin(origin, origins)) return true
  return URL.canParse(origin) && new URL(origin).host === requestHeader(request, 'host')
}

/** Requests for another protocol or path, and malformed ones, are answered as HTTP requests. */
function isForUs(request: IncomingMessage): boolean {
  if (requestHeader(request, 'upgrade')?.toLowerCase() !== 'websocket' || request.method !== 'GET')
    return false
  try {
    return parseTarget(request).path === GRAPHQL_PATH
  } catch {
    return false // the HTTP pipeline rejects it with the reason
  }
}
