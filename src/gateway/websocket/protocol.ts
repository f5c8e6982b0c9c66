import { parse } from 'graphql'
import type { Context } from 'graphql-ws'
import { CloseCode, makeServer } from 'graphql-ws'
import { parseJson } from '../../core/parse-json.js'
import type { Clock } from '../../core/time.js'
import type { Credentials } from '../../domains/access/model.js'
import type { Logger } from '../../platform/logger.js'
import type { Exchange } from '../../platform/request/exchange.js'
import { MAX_ANONYMOUS_BYTES } from '../http/connection/read-body.js'
import type { UnsentBytes } from '../http/connection/unsent-bytes.js'
import type { Handle } from '../http/node.js'
import { type Connection, closeSocket } from './connection.js'
import { operationExchange } from './operation-exchange.js'
import { parseResults, type Result, type SentError } from './operation-results.js'

/** Every event repeats the id, so it must be short. */
const MAX_ID_LENGTH = 128

/** The library requires a document, although the pipeline parses and runs the operation. */
const DOCUMENT = parse('subscription { events }')

export interface ProtocolOptions {
  readonly handle: Handle
  readonly clock: Clock
  readonly log: Logger
  readonly unsent: UnsentBytes
  /** A client must send connection_init within this many milliseconds. */
  readonly initMs: number
}

/**
 * Implements graphql-transport-ws. The pipeline handles each operation like an HTTP request, with the same authentication,
 * limits, charge, cache and log. The messages contain the results of its reply.
 */
export function serveProtocol(connection: Connection, options: ProtocolOptions): void {
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
        closeSocket(
          socket,
          CloseCode.BadRequest,
          `The id of an operation may have at most ${MAX_ID_LENGTH} characters.`,
        )
        return NOTHING
      }
      const run = await runOperation(payload, credentials, connection, options)
      return Array.isArray(run) ? run : { ...NOTHING, contextValue: run }
    },
    // onSubscribe returned it as contextValue.
    subscribe: ({ contextValue }) => contextValue as OperationRun,
    // The pipeline has already serialized the result.
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
          const text = String(data)
          if (isBinary)
            closeSocket(socket, CloseCode.BadRequest, 'Binary messages are not supported; send text.')
          else if (credentials === null && text.length > MAX_ANONYMOUS_BYTES)
            closeSocket(socket, CloseCode.Unauthorized, 'Send connection_init before large messages.')
          else
            takeMessage(take, text).catch((error: unknown) => {
              options.log.debug({ err: error }, 'a websocket message was rejected')
              closeSocket(
                socket,
                CloseCode.BadRequest,
                'The message is not a valid graphql-transport-ws message.',
              )
            })
        }),
    },
    null,
  )
  socket.once('close', (code, reason) => void closed(code, String(reason)))
}

/**
 * Settles when the operating system has accepted the bytes, so that the next event waits for a slow reader. It never
 * settles in the same tick of the event loop, because a stream of buffered events would then block the loop.
 */
function send(
  text: string,
  { socket, clientAddress }: Connection,
  { unsent }: ProtocolOptions,
): Promise<void> {
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

/** Parses the message like any body, and passes it on without what another parser could read differently. */
async function takeMessage(take: (text: string) => Promise<void>, text: string): Promise<void> {
  await take(JSON.stringify(parseJson(text, 'The message')))
}

/** Nothing runs, because the connection is being closed. */
const NOTHING = { schema: null as never, document: DOCUMENT, contextValue: nothing() }

async function* nothing(): AsyncGenerator<Result, void> {}

async function runOperation(
  payload: unknown,
  credentials: Credentials,
  connection: Connection,
  { handle, clock, log }: ProtocolOptions,
): Promise<readonly SentError[] | OperationRun> {
  const abort = new AbortController()
  const { clientAddress, socket } = connection
  const { signal } = abort
  const whenSent: Exchange['whenSent'] = (release, maxMs) => {
    const late = setTimeout(() => socket.terminate(), maxMs)
    const end = () => {
      clearTimeout(late)
      release()
    }
    signal.addEventListener('abort', end)
    socket.once('close', end)
  }
  const sent = { payload, credentials, signal, whenSent, now: clock.now(), clientAddress, log }
  const results = await parseResults(await handle(operationExchange(sent), null))
  if (Symbol.asyncIterator in results)
    return new OperationRun(results[Symbol.asyncIterator](), abort, connection)
  abort.abort()
  return results
}

/** The results of an operation. If a stream ends because the key was revoked or the process stops, the connection is closed too, so that the client reconnects. */
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
      const wasAborted = this.#abort.signal.aborted
      this.#abort.abort() // all results are sent
      if (!wasAborted) await this.#connection.endIfOver()
    } catch {
      // The error was already logged. The client reconnects with its last cursor.
      closeSocket(socket, 1013, 'The subscription failed; reconnect and continue after your last cursor.')
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
