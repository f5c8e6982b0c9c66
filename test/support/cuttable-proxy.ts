import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Stands between a client and a server, and can be cut: the client then sees the server gone. */
export interface CuttableProxy {
  readonly port: number
  /** Breaks all connections and refuses new ones. */
  cut(): void
  /** Keeps connections open but carries nothing any more. */
  mute(): void
  /** Undoes cut and mute. */
  mend(): void
  close(): Promise<void>
}

export async function startCuttableProxy(targetPort: number): Promise<CuttableProxy> {
  let state: 'open' | 'cut' | 'muted' = 'open'
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy()
      return
    }
    const target = connect(targetPort, '127.0.0.1')
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => {
        if (state === 'open') to.write(chunk)
      })
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port, // listens on a port, not on a pipe
    cut: () => {
      state = 'cut'
      breakAll()
    },
    mute: () => {
      state = 'muted'
    },
    mend: () => {
      // What was said while muted is lost: the old connections would be out of step.
      if (state === 'muted') breakAll()
      state = 'open'
    },
    close: async () => {
      breakAll()
      server.close()
      await once(server, 'close')
    },
  }
}
