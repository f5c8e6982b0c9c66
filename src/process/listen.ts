import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Longest a request in flight is waited for when the process is asked to stop. */
export const DRAIN_MS = 10_000
/** How often connections that have become idle are looked for while a server closes. */
const IDLE_CHECK_MS = 50

/** Listens; answers the port, which the system chose where 0 was asked for. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port)) // it listens on a TCP port
  })
}

/** Where somebody on this machine reaches it. */
export function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Resolves when the last request in flight is answered; connections are closed as they become idle. */
export function closed(server: Server): Promise<void> {
  // A connection kept alive goes idle once its answer is out, and nobody would close it then.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(sweep)
      resolve()
    })
    server.closeIdleConnections()
  })
}
