import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/** Resets the connection of a client that does not read. Closing it would leave the bytes that were sent in the kernel. */
export function cutOff(response: ServerResponse): void {
  if (response.socket instanceof Socket) response.socket.resetAndDestroy()
  else response.destroy()
}
