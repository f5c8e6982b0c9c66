import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/** A proxy between a server and PostgreSQL that counts statements. */
export interface StatementCounter {
  /** URL of the database through the counter. */
  readonly databaseUrl: string
  count(): number
  close(): Promise<void>
}

const DEFAULT_PORT = 5432

// Frontend messages that run a statement: a simple query, and the execution of a portal.
const QUERY = 'Q'.charCodeAt(0)
const EXECUTE = 'E'.charCodeAt(0)

/** Size of a message's length field in bytes. The length includes the field. */
const LENGTH_BYTES = 4

export async function countStatements(databaseUrl: string): Promise<StatementCounter> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let count = 0
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || DEFAULT_PORT), target.hostname)
    const read = messageReader((type) => {
      if (type === QUERY || type === EXECUTE) count += 1
    })
    client.on('data', read)
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay(true))
      socket.on('error', () => {}) // the other side is closed with it
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
        sockets.delete(socket)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port) // it listens on a TCP port
  return {
    databaseUrl: url.href,
    count: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Reads the types of a connection's messages from chunks of any size. The first message has no type. */
function messageReader(onMessage: (type: number) => void): (chunk: Buffer) => void {
  let pending = Buffer.alloc(0)
  let isStarted = false
  return (chunk) => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      const typeBytes = isStarted ? 1 : 0
      if (pending.length < typeBytes + LENGTH_BYTES) return
      const end = typeBytes + pending.readUInt32BE(typeBytes)
      if (pending.length < end) return
      if (isStarted) onMessage(pending[0] ?? 0)
      isStarted = true
      pending = pending.subarray(end)
    }
  }
}
