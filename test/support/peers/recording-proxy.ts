import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

/** An HTTP proxy on this machine that knows who was asked for. */
export interface RecordingProxy {
  readonly url: string
  /** Hosts with their ports, in the order in which they were first asked for. */
  hosts(): readonly string[]
  close(): Promise<void>
}

/** Passes connections on to the hosts allowed, and refuses all others. */
export async function startRecordingProxy(allowed: readonly string[]): Promise<RecordingProxy> {
  const hosts = new Set<string>()
  // Requests in clear text come whole, with the address as target.
  const server = createServer((request, response) => {
    hosts.add(new URL(request.url ?? '/', 'http://no-address').host)
    response.writeHead(403).end()
  })
  server.on('connect', (request, client) => {
    const target = request.url ?? ''
    hosts.add(target)
    client.on('error', () => {}) // who hung up needs no answer
    const { hostname, port } = new URL(`http://${target}`)
    if (!allowed.includes(hostname)) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const upstream = connect(Number(port || 80), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    upstream.on('error', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a TCP port
  return {
    url: `http://127.0.0.1:${port}`,
    hosts: () => [...hosts],
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
