import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** Takes over a connection whose request names another protocol. False means that it is handled like any other request. */
export type TakeUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean

/** Hop-by-hop fields of a request to upgrade (RFC 9110, §7.8; RFC 7540, §3.2.1). */
const UPGRADE_FIELDS: ReadonlySet<string> = new Set(['connection', 'upgrade', 'http2-settings'])

/**
 * If a server has an upgrade listener, node passes it every request with an Upgrade header, including those of clients that
 * offer HTTP/2 with each request. The latter are parsed again as plain requests, and their connection is closed after them.
 */
export function takeUpgrades(server: Server, take: TakeUpgrade): Server {
  return server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (take(request, socket, head)) return
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
