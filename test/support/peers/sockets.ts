import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { createServer } from '../../../src/gateway/http/connection/create-server.js'
import type { Upgrades } from '../../../src/gateway/http/connection/upgrades.js'

export interface Listening {
  readonly port: number
  readonly url: string
  close(): Promise<void>
}

/** A listener behind a real socket, with the limits of production. */
export async function listen(
  listener: RequestListener,
  upgrades?: Upgrades,
  isBehindProxy = false,
): Promise<Listening> {
  const server = createServer(listener, { isBehindProxy, ...(upgrades ? { upgrades } : {}) })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a TCP port
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A response as its bytes were received. */
export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

/**
 * Sends a request line and header fields that fetch would refuse or change, and reads until the server ends the
 * connection, which the request asks for.
 */
export async function sendRaw(
  port: number,
  requestLine: string,
  fields: readonly string[] = ['Host: localhost'],
): Promise<RawResponse> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(`${[requestLine, ...fields, 'Connection: close', '', ''].join('\r\n')}`)
  await once(socket, 'close')
  return parseResponse(Buffer.concat(chunks))
}

/** A single response with a plain or chunked body; throws where there is none. */
export function parseResponse(bytes: Buffer): RawResponse {
  const end = bytes.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = bytes.subarray(0, Math.max(0, end)).toString('latin1').split('\r\n')
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine) ?? []
  if (status === undefined) throw new Error(`no response: ${bytes.subarray(0, 100).toString('latin1')}`)
  const headers = new Headers()
  for (const line of lines) {
    const at = line.indexOf(':')
    headers.append(line.slice(0, at), line.slice(at + 1).trim())
  }
  const body = bytes.subarray(end + 4)
  const isChunked = headers.get('transfer-encoding') === 'chunked'
  return { status: Number(status), headers, body: isChunked ? unchunked(body) : body }
}

function unchunked(body: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at)
    const length = Number.parseInt(body.subarray(at, end).toString('latin1'), 16)
    if (!(length > 0)) return Buffer.concat(parts)
    parts.push(body.subarray(end + 2, end + 2 + length))
    at = end + 2 + length + 2
  }
}
