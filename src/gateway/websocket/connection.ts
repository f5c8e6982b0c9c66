import type { WebSocket } from 'ws'
import type { Credentials } from '../../domains/access/model.js'

/** Longest that a client may take to answer a close, milliseconds: less than a stop waits for requests in flight. */
const CLOSE_MS = 2_000

/** A close frame holds 125 bytes, two of them the code. */
const MAX_REASON = 120

/** Closes a connection with a reason; terminates it where the client does not close. */
export function end(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason.slice(0, MAX_REASON))
  setTimeout(() => socket.terminate(), CLOSE_MS).unref()
}

/** A connection as its operations see it. */
export interface Connection {
  readonly socket: WebSocket
  readonly clientAddress: string
  /** Says who is there, from the headers and the payload of connection_init; closes and answers null where nobody is. */
  identify(payload: Readonly<Record<string, unknown>> | undefined): Promise<Credentials | null>
  /** Closes where the process stops or the key was revoked; true where it did. */
  endIfOver(): Promise<boolean>
}
