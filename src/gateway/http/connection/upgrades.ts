import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** Requests that name another protocol. */
export interface Upgrades {
  /** Whether the request takes over its connection. Any other one is handled like a plain request. */
  isFor(request: IncomingMessage): boolean
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

/** Hop-by-hop fields of a request to upgrade (RFC 9110, §7.8; RFC 7540, §3.2.1). */
const UPGRADE_FIELDS: ReadonlySet<string> = new Set(['connection', 'upgrade', 'http2-settings'])

/**
 * Clients that offer HTTP/2 send an Upgrade header with each request. Since Node 24.9 the server asks
 * `shouldUpgradeCallback` first. Older versions pass all of them to the listener: those that are not for it are parsed
 * again as plain requests, and their connection is closed after them.
 */
export function takeUpgrades(server: Server, upgrades: Upgrades): Server {
  return server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (upgrades.isFor(request)) {
      upgrades.take(request, socket, head)
      return
    }
    const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`, 'Connection: close']
    const { rawHeaders } = request
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] ?? ''
      if (!UPGRADE_FIELDS.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[index + 1]}`)
    }
    socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
    server.emit('connection', socket)
  })
}
