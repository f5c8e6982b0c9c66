import { parse } from 'graphql'
import type { Context } from 'graphql-ws'
import { CloseCode, makeServer } from 'graphql-ws'
import type { Clock } from '../../core/time.js'
import type { Credentials } from '../../domains/access/model.js'
import type { Logger } from '../../platform/logger.js'
import type { UnsentBytes } from '../http/connection/unsent-bytes.js'
import type { Handle } from '../http/node.js'
import { type Connection, end } from './connection.js'
import { operationExchange } from './operation-exchange.js'
import { parseResults, type Result, type SentError } from './operation-results.js'

/** Repeated with every event. */
const MAX_ID_LENGTH = 128

/** The library wants a document of its own; the operation itself was read by the pipeline. */
const DOCUMENT = parse('subscription { events }')

interface Options {
  readonly handle: Handle
  readonly clock: Clock
  readonly log: Logger
  readonly unsent: UnsentBytes
  /** Longest that a client may take to say who it is, milliseconds. */
  readonly initMs: number
}

/**
 * Speaks graphql-transport-ws. Each operation goes through the pipeline as a request of its own: same authentication,
 * limits, charge, cache and log; what is sent is taken from its reply.
 */
export function serveProtocol(connection: Connection, options: Options): void {
  const { socket } = connection
  let credentials: Credentials | null = null
  const server = makeServer({
    connectionInitWaitTimeout: options.initMs,
    onConnect: async ({ connectionParams }: Context) => {
      credentials = await connection.identify(connectionParams)
      return credentials !== null
    },
    onSubscribe: async (_context, id, payload) => {
      if (credentials === null || id.length > MAX_ID_LENGTH) {
        end(socket, CloseCode.BadRequest, `The id of an operation has at most ${MAX_ID_LENGTH} characters.`)
        return NOTHING
      }
      const run = await runOperation(payload, credentials, connection, options)
      return Array.isArray(run) ? run : { ...NOTHING, contextValue: run }
    },
    // What onSubscribe has put there.
    subscribe: ({ contextValue }) => contextValue as OperationRun,
    // As it came from the pipeline.
    onNext: (_context, _id, _payload, _args, result) => result as never,
  })
  const closed = server.opened(
    {
      protocol: socket.protocol,
      close: (code, reason) => socket.close(code, reason),
      send: (text) => send(text, connection, options),
      onMessage: (take) =>
        socket.on('message', (data, isBinary) => {
          if (socket.readyState !== socket.OPEN) return
          if (isBinary) end(socket, CloseCode.BadRequest, 'Messages are text.')
          else
            take(String(data)).catch((error: unknown) => {
              options.log.debug({ err: error }, 'websocket message was refused')
              end(socket, CloseCode.BadRequest, 'The message does not belong to the protocol.')
            })
        }),
    },
    null,
  )
  socket.once('close', (code, reason) => void closed(code, String(reason)))
}

/**
 * Settles when the system has taken the bytes, so that the next event waits for a slow reader; and never in the same turn
 * of the event loop, which a stream of events that are there already would hold for itself.
 */
function send(text: string, { socket, clientAddress }: Connection, { unsent }: Options): Promise<void> {
  return new Promise((resolve) => {
    let release = () => {}
    const settle = () => {
      release()
      setImmediate(resolve)
    }
    if (socket.readyState !== socket.OPEN) return settle()
    socket.send(text, settle)
    if (socket.bufferedAmount > 0) release = unsent.add(clientAddress, text.length, () => socket.terminate())
  })
}

/** Where there is nothing to run: the connection is closed. */
const NOTHING = { schema: null as never, document: DOCUMENT, contextValue: nothing() }

async function* nothing(): AsyncGenerator<Result, void> {}

async function runOperation(
  payload: unknown,
  credentials: Credentials,
  connection: Connection,
  { handle, clock, log }: Options,
): Promise<readonly SentError[] | OperationRun> {
  const abort = new AbortController()
  const { clientAddress } = connection
  const { signal } = abort
  const exchange = operationExchange({ payload, credentials, signal, now: clock.now(), clientAddress, log })
  const results = await parseResults(await handle(exchange, null))
  if (!(Symbol.asyncIterator in results)) return results
  return new OperationRun(results[Symbol.asyncIterator](), abort, connection)
}

/** The results of an operation. A stream that ends with its key or the process ends the connection, so that its client comes back. */
class OperationRun implements AsyncIterableIterator<Result> {
  readonly #results: AsyncIterator<Result>
  readonly #abort: AbortController
  readonly #connection: Connection

  constructor(results: AsyncIterator<Result>, abort: AbortController, connection: Connection) {
    this.#results = results
    this.#abort = abort
    this.#connection = connection
  }

  async next(): Promise<IteratorResult<Result, undefined>> {
    const { socket } = this.#connection
    if (socket.readyState !== socket.OPEN) return this.return()
    try {
      const result = await this.#results.next()
      if (!result.done) return result
      if (!this.#abort.signal.aborted) await this.#connection.endIfOver()
    } catch {
      // It was logged where it broke. The client comes back with its last cursor.
      end(socket, 1013, 'The subscription broke; go on after the last cursor.')
    }
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorResult<Result, undefined>> {
    this.#abort.abort()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
