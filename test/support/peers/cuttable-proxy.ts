import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What happens to bytes on their way. */
export interface Disturbance {
  /** Towards the client or the server; left out: both. */
  readonly towards?: 'client' | 'server'
  /** Bytes that still pass, over all connections; what follows is swallowed. Left out: all pass. */
  readonly passBytes?: number
  /** Each chunk waits for this long. */
  readonly delayMs?: number
  /** Pace of each connection. */
  readonly bytesPerSecond?: number
}

/** Between a client and a server; it can be cut, and it can disturb what passes. */
export interface CuttableProxy {
  /** The server's URL with the proxy as its host. */
  readonly url: string
  /** Breaks all connections and refuses new ones. */
  cut(): void
  /** New connections that it refused so far. */
  refused(): number
  /** As `cut`, by a reset in place of an orderly end. */
  reset(): void
  /** Ends one direction of each connection, new ones too; the other end hears nothing of it. */
  halfClose(towards: 'client' | 'server'): void
  /** Keeps connections open but carries nothing any more. */
  mute(): void
  /** From now on bytes are disturbed; connections stay open. */
  disturb(disturbance: Disturbance): void
  /**
   * The next `times` times that a chunk towards the server contains `text`, its answer is lost: the connection is reset when the
   * server has answered. Resolves after the last of them.
   */
  loseAnswers(text: string, times: number): Promise<void>
  /** Bytes pass again on the connections there are, where what was swallowed is missing. */
  pass(): void
  /** Undoes all of them. Connections on which something is missing are broken. */
  mend(): void
  close(): Promise<void>
}

/** Swallows all bytes. */
export const BLACK_HOLE: Disturbance = { passBytes: 0 }

/** How the answers of a server are lost; to be read after "that" or "which". */
export const LOST_ANSWERS: readonly (readonly [string, Disturbance])[] = [
  ['swallows everything', BLACK_HOLE],
  ['swallows all but the beginning of an answer', { towards: 'client', passBytes: 20 }],
  ['holds answers up for 3 s', { towards: 'client', delayMs: 3_000 }],
]

/** Both ends of a connection through the proxy. */
interface Pair {
  readonly client: Socket
  readonly server: Socket
}

const USUAL_PORTS: Readonly<Record<string, number>> = { 'postgresql:': 5432, 'redis:': 6379 }

/** In front of a server on this machine. */
export async function startCuttableProxy(serverUrl: string): Promise<CuttableProxy> {
  const through = new URL(serverUrl)
  const targetPort = Number(through.port) || USUAL_PORTS[through.protocol]
  if (targetPort === undefined) throw new Error(`a port is missing: ${through.protocol}`)
  let isCut = false
  let refused = 0
  let isReset = false
  let isMuted = false
  let halfClosed: 'client' | 'server' | null = null
  let disturbance: Disturbance | null = null
  let passed = 0
  let losing: { readonly text: string; left: number; readonly done: () => void } | null = null
  const sockets = new Set<Socket>()

  /** What of a chunk goes on; the rest is swallowed. */
  const passing = (chunk: Buffer, towards: 'client' | 'server'): Buffer => {
    if (isMuted) return Buffer.alloc(0)
    if (disturbance?.passBytes === undefined || !concerns(disturbance, towards)) return chunk
    const part = chunk.subarray(0, Math.max(0, disturbance.passBytes - passed))
    passed += part.length
    return part
  }
  /** Connections whose next chunk towards the client is lost, by their end at the server. */
  const asked = new Set<Socket>()
  const isLost = (chunk: Buffer, from: Socket, to: Socket): boolean => {
    if (losing === null) return false
    if (!asked.has(from)) {
      if (chunk.includes(losing.text)) asked.add(to)
      return false
    }
    asked.delete(from)
    to.resetAndDestroy()
    from.destroy()
    losing.left -= 1
    if (losing.left > 0) return true
    losing.done()
    losing = null
    return true
  }
  const carry = (from: Socket, to: Socket, towards: 'client' | 'server') => {
    let previous: Promise<unknown> = Promise.resolve()
    from.on('data', (chunk) => {
      if (isLost(chunk, from, to)) return
      const pauseMs = pauseOf(disturbance, towards, chunk.length)
      const send = () => {
        const part = passing(chunk, towards)
        if (part.length > 0 && to.writable) to.write(part)
      }
      // In order, and at once where nothing is held up.
      previous = pauseMs === 0 ? previous.then(send) : previous.then(() => sleep(pauseMs)).then(send)
    })
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      if (halfClosed === null) to.destroy()
    })
  }
  const endOneWay = (pair: Pair) => {
    if (halfClosed !== null) pair[halfClosed].end()
  }
  const pairs = new Set<Pair>()
  const server = createServer((client) => {
    if (isCut) {
      refused += 1
      if (isReset) client.resetAndDestroy()
      else client.destroy()
      return
    }
    const target = connect(targetPort, '127.0.0.1')
    const pair = { client, server: target }
    pairs.add(pair)
    client.on('close', () => pairs.delete(pair))
    sockets.add(client).add(target)
    carry(client, target, 'server')
    carry(target, client, 'client')
    endOneWay(pair)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}` // listens on a port, not on a pipe
  return {
    url: through.href,
    refused: () => refused,
    cut: () => {
      isCut = true
      breakAll()
    },
    reset: () => {
      isCut = true
      isReset = true
      for (const socket of sockets) socket.resetAndDestroy()
    },
    halfClose: (towards) => {
      halfClosed = towards
      for (const pair of pairs) endOneWay(pair)
    },
    mute: () => {
      isMuted = true
    },
    disturb: (next) => {
      disturbance = next
      passed = 0
    },
    loseAnswers: (text, times) =>
      new Promise((done) => {
        losing = { text, left: times, done }
      }),
    pass: () => {
      disturbance = null
    },
    mend: () => {
      // What was said while muted is lost: the old connections would be out of step.
      if (isMuted || halfClosed !== null) breakAll()
      isMuted = false
      isCut = false
      isReset = false
      halfClosed = null
      disturbance = null
    },
    close: async () => {
      breakAll()
      server.close()
      await once(server, 'close')
    },
  }
}

function concerns({ towards }: Disturbance, direction: 'client' | 'server'): boolean {
  return towards === undefined || towards === direction
}

function pauseOf(disturbance: Disturbance | null, direction: 'client' | 'server', bytes: number): number {
  if (disturbance === null || !concerns(disturbance, direction)) return 0
  const { delayMs = 0, bytesPerSecond = Number.POSITIVE_INFINITY } = disturbance
  return delayMs + (1_000 * bytes) / bytesPerSecond
}
