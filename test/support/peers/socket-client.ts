import { once } from 'node:events'
import { type Client, type CloseCode, createClient } from 'graphql-ws'
import WebSocket from 'ws'

/** A client of graphql-transport-ws that does not come back by itself. */
export function socketClient(url: string, connectionParams?: Readonly<Record<string, unknown>>): Client {
  return createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    lazyCloseTimeout: 0,
    ...(connectionParams ? { connectionParams } : {}),
  })
}

/** How a connection was closed. */
export interface Closed {
  readonly code: CloseCode | number
  readonly reason: string
}

/** A connection without the library, for what no client of it would do. */
export class RawSocket {
  readonly socket: WebSocket
  readonly closed: Promise<Closed>
  readonly #messages: unknown[] = []
  #wake: () => void = () => {}

  constructor(
    url: string,
    protocol: string | undefined = 'graphql-transport-ws',
    headers: Readonly<Record<string, string>> = {},
  ) {
    const address = `${url.replace('http', 'ws')}/graphql`
    this.socket = protocol
      ? new WebSocket(address, protocol, { headers })
      : new WebSocket(address, { headers })
    this.socket.on('error', () => {})
    this.socket.on('message', (data) => {
      this.#messages.push(JSON.parse(String(data)))
      this.#wake()
    })
    this.closed = new Promise((resolve) => {
      this.socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }))
    })
  }

  async opened(): Promise<this> {
    if (this.socket.readyState !== WebSocket.OPEN) await once(this.socket, 'open')
    return this
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** The next message; rejects when the connection is closed before. */
  async next(): Promise<{ readonly type: string; readonly id?: string; readonly payload?: never }> {
    while (this.#messages.length === 0) {
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#wake = resolve
        }),
        this.closed.then(({ code, reason }) => {
          throw new Error(`closed: ${code} ${reason}`)
        }),
      ])
    }
    return this.#messages.shift() as never // of the protocol
  }

  /** Opened, and known by its key. */
  async initialised(key: string): Promise<this> {
    await this.opened()
    this.send({ type: 'connection_init', payload: { 'X-API-Key': key } })
    const { type } = await this.next()
    if (type !== 'connection_ack') throw new Error(`${type} instead of connection_ack`)
    return this
  }
}
