import type { IncomingMessage } from 'node:http'
import { CloseCode } from 'graphql-ws'
import type { WebSocket } from 'ws'
import { ApiError } from '../../core/errors.js'
import type { InFlight } from '../../core/in-flight.js'
import type { Clock } from '../../core/time.js'
import type { Credentials } from '../../domains/access/model.js'
import type { BurstGuard } from '../../platform/counters/burst-guard.js'
import type { Logger } from '../../platform/logger.js'
import type { Principal } from '../../policy/principal.js'
import type { UnsentBytes } from '../http/connection/unsent-bytes.js'
import type { Handle } from '../http/node.js'
import { type Connection, end } from './connection.js'
import { serveProtocol } from './protocol.js'
import { socketCredentials } from './socket-credentials.js'

export interface SocketOptions {
  readonly handle: Handle
  readonly authenticate: (credentials: Credentials, now: Date) => Principal | Promise<Principal>
  readonly clock: Clock
  readonly log: Logger
  readonly isDraining: () => boolean
  readonly frames: BurstGuard
  readonly unsent: UnsentBytes
  /** Connections by account. */
  readonly accounts: InFlight
  /** How often a client is asked whether it is there, milliseconds; one that is silent for two of them is cut off. */
  readonly pingMs: number
  /** Longest that a client may take to say who it is, milliseconds. */
  readonly initMs: number
}

export const SOCKET_TIMES = { pingMs: 12_000, initMs: 5_000 }

/** One page needs one; a few tabs a few. */
export const MAX_SOCKETS_PER_ACCOUNT = 10

/** Serves a connection: who it is, how much it may send, whether it is still there. */
export function serveSocket(
  socket: WebSocket,
  { request, clientAddress }: { readonly request: IncomingMessage; readonly clientAddress: string },
  options: SocketOptions,
): void {
  const { authenticate, clock, log, frames, accounts, isDraining } = options
  let credentials: Credentials | null = null
  let release = () => {}
  const identify: Connection['identify'] = async (payload) => {
    try {
      const given = socketCredentials(request, payload)
      const principal = await authenticate(given, clock.now())
      if (principal.kind === 'anonymous') throw new ApiError('unauthorized')
      if (socket.readyState !== socket.OPEN) return null
      release = openSocket(accounts, principal.accountId)
      credentials = given
      return given
    } catch (error) {
      end(socket, ...closeOf(error, log))
      return null
    }
  }
  const endIfOver: Connection['endIfOver'] = async () => {
    if (isDraining()) {
      end(socket, 1001, 'The gateway stops.')
      return true
    }
    try {
      if (credentials !== null) await authenticate(credentials, clock.now())
      return false
    } catch (error) {
      end(socket, ...closeOf(error, log))
      return true
    }
  }
  const count = () => {
    if (socket.readyState === socket.OPEN && !frames.allow(clientAddress, clock.now()).allowed)
      end(socket, 4429, 'Too many messages in this minute.')
  }
  // Pings count too: answering them costs the gateway more than sending them costs the client.
  for (const event of ['message', 'ping'] as const) socket.on(event, count)
  const stopPings = keepAlive(socket, options.pingMs, { endIfOver, onUnasked: count })
  // The connection is closed by the library with the code of what is wrong with a frame: too large, no text.
  socket.on('error', (error) => log.debug({ err: error }, 'websocket broke'))
  socket.once('close', () => {
    stopPings()
    release()
  })
  serveProtocol({ socket, clientAddress, identify, endIfOver }, options)
}

/**
 * Pings the client, and cuts it off where it answers none: it has gone, or reads nothing of what it is sent. A pong that no
 * ping asked for is a frame as every other.
 */
function keepAlive(
  socket: WebSocket,
  pingMs: number,
  { endIfOver, onUnasked }: { readonly endIfOver: () => Promise<boolean>; readonly onUnasked: () => void },
): () => void {
  let isThere = true
  socket.on('pong', () => {
    if (isThere) onUnasked()
    isThere = true
  })
  const timer = setInterval(() => {
    if (!isThere) socket.terminate()
    else {
      isThere = false
      socket.ping()
      void endIfOver()
    }
  }, pingMs)
  return () => clearInterval(timer)
}

/** Counts one more; the function counts it off. */
function openSocket(accounts: InFlight, accountId: string): () => void {
  if (accounts.of(accountId) >= MAX_SOCKETS_PER_ACCOUNT) {
    throw new ApiError('rate_limit_exceeded', {
      message: `At most ${MAX_SOCKETS_PER_ACCOUNT} WebSockets of an account may be open.`,
    })
  }
  return accounts.begin(accountId)
}

/** Codes after which the clients of the protocol do not come back by themselves, but for the last. */
function closeOf(error: unknown, log: Logger): [code: number, reason: string] {
  if (!(error instanceof ApiError) || error.status >= 500) {
    log.warn({ err: error }, 'websocket was closed')
    return [1013, 'Try again later.']
  }
  if (error.code === 'unauthorized') return [CloseCode.Unauthorized, error.message]
  if (error.code === 'rate_limit_exceeded') return [CloseCode.TooManyInitialisationRequests, error.message]
  return [CloseCode.BadRequest, error.message]
}
