import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../shared/figures.js'
import { heldClients } from './held-sockets.js'

/** The behaviour of a slow client on its connection. `stop` ends it. */
export interface SlowKind {
  readonly name: string
  readonly count: number
  begin(socket: Socket, stop: AbortSignal): void
}

export interface ConnectionEnds {
  readonly name: string
  readonly clients: number
  /** Number of connections that the server closed. */
  readonly cut: number
  /** Seconds from the start of a connection to its end; null if the server closed none. */
  readonly first: number | null
  readonly median: number | null
  readonly last: number | null
}

const WATCH_MS = 250

/** Opens the connections of all kinds and watches them until the server has closed each, or the time is over. */
export async function watchSlowClients(
  port: number,
  kinds: readonly SlowKind[],
  seconds: number,
): Promise<readonly ConnectionEnds[]> {
  const stop = new AbortController()
  const clients = await Promise.all(
    kinds.flatMap((kind) => Array.from({ length: kind.count }, () => open(port, kind, stop.signal))),
  )
  const deadline = performance.now() + seconds * 1000
  while (performance.now() < deadline && clients.some(({ cutAfter }) => cutAfter === null)) {
    await sleep(WATCH_MS)
    const held = heldClients(port)
    const now = performance.now()
    for (const client of clients) {
      if (client.cutAfter === null && !held.has(client.port)) client.cutAfter = (now - client.openedAt) / 1000
    }
  }
  stop.abort()
  for (const { socket } of clients) socket.destroy()
  return kinds.map((kind) => cutOf(kind, clients))
}

interface Client {
  readonly kind: SlowKind
  readonly socket: Socket
  readonly port: number
  readonly openedAt: number
  /** Seconds; null while the connection is open. */
  cutAfter: number | null
}

async function open(port: number, kind: SlowKind, stop: AbortSignal): Promise<Client> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {}) // the end of a connection is what is waited for
  await once(socket, 'connect')
  kind.begin(socket, stop)
  return { kind, socket, port: socket.localPort ?? 0, openedAt: performance.now(), cutAfter: null }
}

function cutOf(kind: SlowKind, clients: readonly Client[]): ConnectionEnds {
  const seconds = clients
    .filter((client) => client.kind === kind)
    .map(({ cutAfter }) => cutAfter)
    .filter((cutAfter) => cutAfter !== null)
  const of = (share: number) => (seconds.length === 0 ? null : quantile(seconds, share))
  return {
    name: kind.name,
    clients: kind.count,
    cut: seconds.length,
    first: of(0),
    median: of(0.5),
    last: of(1),
  }
}
