import type { WebSocket } from 'ws'
import type { Credentials } from '../../domains/access/model.js'

/** A client must answer a close within this time. A stopping process waits longer for requests in flight. */
const CLOSE_MS = 2_000

/** A close frame holds 125 bytes, of which the code takes two. */
const MAX_REASON = 120

/** Closes a connection with a reason; terminates it if the client does not close it too. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason.slice(0, MAX_REASON))
  setTimeout(() => socket.terminate(), CLOSE_MS).unref()
}

/** The parts of a connection that its operations use. */
export interface Connection {
  readonly socket: WebSocket
  readonly clientAddress: string
  /** Authenticates by headers or the payload of connection_init. On failure closes the connection and returns null. */
  identify(payload: Readonly<Record<string, unknown>> | undefined): Promise<Credentials | null>
  /** Closes the connection if the process is stopping or the key was revoked; returns whether it did. */
  endIfOver(): Promise<boolean>
}
