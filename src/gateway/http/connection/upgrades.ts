import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** Takes over a connection whose request asks to speak another protocol; false: it is answered as any other request. */
export type TakeUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean

/** Hop-by-hop fields of a request to upgrade (RFC 9110, §7.8; RFC 7540, §3.2.1). */
const UPGRADE_FIELDS: ReadonlySet<string> = new Set(['connection', 'upgrade', 'http2-settings'])

/**
 * Once a server has a listener for upgrades, node leaves every request that names one to it: of browsers, but also of
 * clients that offer HTTP/2 with each request. Those are read once more as what else they are, on their last connection.
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
