import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** How often each server is asked for its readiness. */
const PROBE_MS = 200

/** Spreads connections over servers, as a proxy or a Service does: a server gets new ones while its `/readyz` is 200. */
export interface Balancer {
  readonly url: string
  /** Resolves when the server is ready and gets connections. */
  add(serverUrl: string): Promise<void>
  /** The server gets no new connections; those that it has stay open. */
  remove(serverUrl: string): void
  close(): Promise<void>
}

export async function startBalancer(): Promise<Balancer> {
  const ready = new Map<string, boolean>()
  const sockets = new Set<Socket>()
  let turn = 0
  const next = (): string | undefined => {
    const urls = [...ready].filter(([, isReady]) => isReady).map(([url]) => url)
    turn += 1
    return urls[turn % urls.length]
  }
  const server = createServer((client) => {
    const url = next()
    if (url === undefined) return void client.destroy()
    const target = connect(Number(new URL(url).port), '127.0.0.1')
    for (const socket of [client, target]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('close', () => sockets.delete(socket))
    }
    client.pipe(target)
    target.pipe(client)
    client.on('error', () => target.destroy())
    target.on('error', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const probe = async () => {
    for (const url of ready.keys()) {
      const isReady = await isUp(url)
      if (ready.has(url)) ready.set(url, isReady)
    }
  }
  let probing: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    probing = probing.then(probe)
  }, PROBE_MS)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a TCP port
    add: async (serverUrl) => {
      while (!(await isUp(serverUrl))) await new Promise((done) => setTimeout(done, PROBE_MS))
      ready.set(serverUrl, true)
    },
    remove: (serverUrl) => void ready.delete(serverUrl),
    close: async () => {
      clearInterval(timer)
      await probing
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function isUp(url: string): Promise<boolean> {
  try {
    const { status, body } = await fetch(`${url}/readyz`, { headers: { connection: 'close' } })
    await body?.cancel()
    return status === 200
  } catch {
    return false
  }
}
