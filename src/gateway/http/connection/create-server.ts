import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import type { Socket } from 'node:net'
import { InFlight } from '../../../core/in-flight.js'
import { normalizeAddress } from '../identity/client-address.js'
import { takeUpgrades, type Upgrades } from './upgrades.js'

export interface ConnectionLimits {
  /** A client must send its headers, and the whole request, within these many milliseconds. */
  readonly headersMs: number
  readonly requestMs: number
  /** Interval of checking both limits. Node's default of half a minute would let a slow client stay four times as long. */
  readonly checkMs: number
  /** Longer than the timeout of load balancers, so that they close idle connections first. */
  readonly keepAliveMs: number
  /**
   * A client that has read nothing of its response for twice this long is gone. Twice, because node restarts the timeout
   * once after a partial write.
   */
  readonly stalledMs: number
  /** Further connections are refused. Each takes about 20 kB and a file descriptor. */
  readonly maxConnections: number
  /** Further connections of an address are reset. The kernel holds up to some megabytes for each that does not read. */
  readonly maxPerAddress: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkMs: 1_000,
  keepAliveMs: 65_000,
  stalledMs: 15_000,
  maxConnections: 10_000,
  maxPerAddress: 100,
}

/** Since Node 24 this avoids stream events of requests without a body. Older versions ignore it, and the types lack it. */
const WITHOUT_EMPTY_STREAMS = { optimizeEmptyRequests: true }

export interface ServerOptions {
  readonly limits?: ConnectionLimits
  /** Whether proxies open the connections, so that one address has those of many clients. */
  readonly isBehindProxy?: boolean
  readonly upgrades?: Upgrades
}

/** A server on which no client can hold a connection without making progress. */
export function createServer(
  listener: RequestListener,
  { limits = CONNECTION_LIMITS, isBehindProxy = false, upgrades }: ServerOptions = {},
): Server {
  const { stalledMs } = limits
  const server = createHttpServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      keepAliveTimeout: limits.keepAliveMs,
      ...WITHOUT_EMPTY_STREAMS,
      ...(upgrades && { shouldUpgradeCallback: (request: IncomingMessage) => upgrades.isFor(request) }),
    },
    listener,
  )
  server.maxConnections = limits.maxConnections
  if (!isBehindProxy) limitPerAddress(server, limits.maxPerAddress)
  // Node counts write progress as activity, so a timeout with unsent bytes means that the client does not read.
  server.setTimeout(stalledMs, (socket: Socket) => {
    if (socket.writableLength > 0)
      socket.resetAndDestroy() // closing it would leave what was sent in the kernel
    else socket.setTimeout(stalledMs) // the client waits for the gateway: a long poll or an event stream
  })
  return upgrades ? takeUpgrades(server, upgrades) : server
}

function limitPerAddress(server: Server, most: number): void {
  const open = new InFlight()
  const counted = new WeakSet<Socket>() // `takeUpgrades` emits a connection again
  server.on('connection', (socket: Socket) => {
    if (counted.has(socket)) return
    counted.add(socket)
    const address = normalizeAddress(socket.remoteAddress)
    if (open.of(address) < most) socket.once('close', open.begin(address))
    else socket.resetAndDestroy()
  })
}
