import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Above this number of waiting requests the connection is not read, except for the rest of the current 64 kB chunk. */
const MAX_WAITING = 16

/** Number of requests per connection that wait for earlier ones. */
const waiting = new WeakMap<Socket, number>()

/**
 * Resolves when all earlier responses of the connection are sent. HTTP/1.1 responses have the order of their requests, so
 * pipelined requests are processed one at a time. Never settles if the connection ends before. Sent means that the kernel
 * has all bytes. Node.js does not show what the client has received: the kernel holds a buffer for each connection, some
 * megabytes at most, which the limit of connections per address bounds.
 */
export async function waitForEarlierResponses(
  { socket }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
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
