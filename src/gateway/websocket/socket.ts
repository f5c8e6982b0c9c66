import type { IncomingMessage } from 'node:http'
import { CloseCode } from 'graphql-ws'
import type { WebSocket } from 'ws'
import { ApiError } from '../../core/errors.js'
import type { InFlight } from '../../core/in-flight.js'
import type { Credentials } from '../../domains/access/model.js'
import type { Logger } from '../../platform/logger.js'
import type { BurstGuard } from '../../platform/quota/burst-guard.js'
import type { Authenticate } from '../http/identity/demo-callers.js'
import { type Connection, closeSocket } from './connection.js'
import { type ProtocolOptions, serveProtocol } from './protocol.js'
import { socketCredentials } from './socket-credentials.js'

export interface SocketOptions extends ProtocolOptions {
  readonly authenticate: Authenticate
  readonly isDraining: () => boolean
  readonly frames: BurstGuard
  /** Connections by account. */
  readonly accounts: InFlight
  /** Interval of pings in milliseconds. A client that does not answer before the next ping is disconnected. */
  readonly pingMs: number
}

export const SOCKET_TIMES = { pingMs: 12_000, initMs: 5_000 }

/** A page needs one connection, so this allows for some open tabs. */
export const MAX_SOCKETS_PER_ACCOUNT = 10

/** The pages use server-sent events. A WebSocket carries no header that shows which site opens it. */
const NO_DEMO = 'The demo key opens no WebSockets; sign in, or send your own key.'

/** Serves a connection: authenticates it, limits its messages and detects a lost client. */
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
      const principal = await authenticate(given, clock.now(), clientAddress)
      if (principal.kind === 'anonymous') throw new ApiError('unauthorized')
      if (principal.isDemo) throw new ApiError('forbidden', { message: NO_DEMO })
      if (socket.readyState !== socket.OPEN) return null
      release = openSocket(accounts, principal.accountId)
      credentials = given
      return given
    } catch (error) {
      closeSocket(socket, ...closeOf(error, log))
      return null
    }
  }
  const endIfOver: Connection['endIfOver'] = async () => {
    if (isDraining()) {
      closeSocket(socket, 1001, 'The gateway is stopping; connect again.')
      return true
    }
    try {
      if (credentials !== null) await authenticate(credentials, clock.now(), clientAddress)
      return false
    } catch (error) {
      closeSocket(socket, ...closeOf(error, log))
      return true
    }
  }
  const count = () => {
    if (socket.readyState === socket.OPEN && !frames.allow(clientAddress, clock.now()).allowed)
      closeSocket(socket, 4429, 'Too many messages in this minute; connect again in the next one.')
  }
  // Pings count too, because answering costs the gateway more than sending costs the client.
  for (const event of ['message', 'ping'] as const) socket.on(event, count)
  const stopPings = keepAlive(socket, options.pingMs, { endIfOver, onUnasked: count })
  // The library closes the connection with the code for the invalid frame, e.g. one that is too large.
  socket.on('error', (error) => log.debug({ err: error }, 'a websocket failed'))
  socket.once('close', () => {
    stopPings()
    release()
  })
  serveProtocol({ socket, clientAddress, identify, endIfOver }, options)
}

/**
 * Pings the client and disconnects it if it does not answer, because it is gone or does not read. A pong without a ping
 * counts as a frame like any other.
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

/** Counts a connection of the account; the returned function removes it. Throws 429 above the limit. */
function openSocket(accounts: InFlight, accountId: string): () => void {
  if (accounts.of(accountId) >= MAX_SOCKETS_PER_ACCOUNT) {
    throw new ApiError('rate_limit_exceeded', {
      message: `An account may have at most ${MAX_SOCKETS_PER_ACCOUNT} open WebSockets; close one first.`,
    })
  }
  return accounts.begin(accountId)
}

/** `closeSocket` cuts it off after a long reason. */
const KEY_SOURCE = 'The page /account creates keys.'

/** The close code of an error. Clients of the protocol reconnect after 1013 only. */
function closeOf(error: unknown, log: Logger): [code: number, reason: string] {
  if (!(error instanceof ApiError) || error.status >= 500) {
    log.warn({ err: error }, 'a websocket was closed because of an error')
    return [1013, 'Try again later.']
  }
  if (error.code === 'unauthorized') {
    const [problem] = error.details
    const reason = problem ? `${problem.field} ${problem.message}. ${KEY_SOURCE}` : error.message
    return [CloseCode.Unauthorized, reason]
  }
  if (error.code === 'rate_limit_exceeded') return [CloseCode.TooManyInitialisationRequests, error.message]
  return [CloseCode.BadRequest, error.message]
}
