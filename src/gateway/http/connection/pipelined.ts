import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** When so many requests of a connection wait, no more of it is read than the chunk of 64 kB that they came in. */
const MAX_WAITING = 16

/** Requests of a connection that wait for those before them. */
const waiting = new WeakMap<Socket, number>()

/**
 * Resolves when the responses before it have gone out. Responses leave a connection in the order of its requests, so of
 * those that a client sends at once one is in work at a time. Never settles when the connection ends before.
 */
export async function inTurn({ socket }: IncomingMessage, response: ServerResponse): Promise<void> {
  const count = (waiting.get(socket) ?? 0) + 1
  waiting.set(socket, count)
  // After what was read is parsed: node itself goes on reading after each request that is complete.
  if (count === MAX_WAITING) setImmediate(pauseIfFull, socket)
  await new Promise<void>((resolve) => response.once('socket', () => resolve()))
  const left = (waiting.get(socket) ?? 1) - 1
  waiting.set(socket, left)
  if (left === 0) socket.resume()
}

function pauseIfFull(socket: Socket): void {
  if ((waiting.get(socket) ?? 0) >= MAX_WAITING) socket.pause()
}
