import type { Server } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'

/**
 * Longest wait for running requests when the process stops. Pending figures are written after it, and orchestrators kill a
 * process after ten seconds.
 */
export const DRAIN_MS = 6_000
/** How often idle connections are closed while a server closes. */
const IDLE_CHECK_MS = 50

/** Listens and returns the port; for port 0 the one that the system chose. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port)) // it listens on a TCP port
  })
}

/** The address for clients on this machine. */
export function toUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/**
 * How long connections that are idle when a stop begins may still send a request. A request in transit would be lost if its
 * connection were closed before it arrives. Its reply ends the connection.
 */
const LAST_REQUESTS_MS = 1_000

/** Takes no new connections; resolves when the last request in flight is answered and every connection is closed. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    let sweep: NodeJS.Timeout | undefined
    const begin = setTimeout(() => {
      // A connection kept alive goes idle once its response is out, and nobody would close it then. What has arrived is read
      // first: on a busy machine a request may lie unread on a connection that looks idle.
      sweep = setInterval(() => setImmediate(() => server.closeIdleConnections()), IDLE_CHECK_MS)
    }, LAST_REQUESTS_MS)
    // http.Server's own close ends idle connections at once.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(begin)
      clearInterval(sweep)
      server.close() // ends the timers of http.Server
      resolve()
    })
  })
}
