import { Socket } from 'node:net'
import pg from 'pg'

/** A client on a socket of this process, so that its connection can be broken without waiting for the server. */
export class BreakableClient extends pg.Client {
  readonly #socket: Socket

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket()
    super({ ...config, stream: () => socket })
    this.#socket = socket
  }

  /** Running statements fail; the server rolls back open transactions when it notices. */
  breakConnection(): void {
    this.#socket.destroy()
  }

  /** Settles when the socket is closed, whichever side has closed it. */
  closed(): Promise<void> {
    if (this.#socket.closed) return Promise.resolve()
    return new Promise((resolve) => this.#socket.once('close', () => resolve()))
  }
}
