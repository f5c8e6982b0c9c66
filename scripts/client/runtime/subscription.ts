import { ApiError, ConnectionError, graphqlFailureOf } from './errors.js'
import { readEvents } from './events.js'
import { type GraphQLBody, graphqlCall } from './graphql.js'
import { Retries } from './retry.js'
import type { Values } from './targets.js'
import { type Call, either, lost, type Transport } from './transport.js'

export interface SubscribeOptions {
  readonly signal?: AbortSignal
  /**
   * A connection that is lost before its first event has no cursor to go on after: opened again, it may have missed events.
   * False, or left out: the loss is thrown. Begin with a `cursor` and it cannot happen.
   */
  readonly allowGap?: boolean
  /** Milliseconds that the gateway may be away; five minutes where left out. */
  readonly reconnectMs?: number
}

/** The gateway shows every 12 seconds that a stream is alive. */
const SILENCE_MS = 40_000

/** Attempts in a row; `reconnectMs` ends them before. */
const ATTEMPTS = 1_000

const RECONNECT_MS = 300_000

/** The code of an event that says that the quota is spent. */
const SPENT = 'rate_limited'

export async function* subscribe<Result>(
  transport: Transport,
  query: string,
  variables: Values,
  options: SubscribeOptions,
): AsyncGenerator<Result, void> {
  const { signal, allowGap = false, reconnectMs = RECONNECT_MS } = options
  const retries = new Retries({ attempts: ATTEMPTS, totalMs: reconnectMs })
  // Without the variable the gateway would start from the beginning without an error.
  const takesCursor = query.includes('$cursor')
  let given = variables
  for (;;) {
    signal?.throwIfAborted()
    const call: Call = { ...graphqlCall(query, given), isRepeatable: false, signal }
    const connection = new Connection(transport, call)
    try {
      for (let data = await connection.next(); data !== null; data = await connection.next()) {
        retries.reset()
        const cursor = cursorOf(data)
        if (cursor !== null && takesCursor) given = { ...given, cursor }
        yield data as Result // the document says which
      }
    } finally {
      await connection.close()
    }
    const { failure } = connection
    const mayHaveMissed = connection.wasOpen && (given.cursor ?? null) === null
    if (mayHaveMissed && !allowGap) throw failure
    await retries.waitAfter(failure, signal)
  }
}

/** One stream of events, until it ends for any reason. */
class Connection {
  readonly #transport: Transport
  readonly #call: Call
  readonly #ended = new AbortController()
  #events: AsyncGenerator<{ readonly name: string; readonly data: string }, void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Why there are no more events. */
  failure: unknown
  wasOpen = false

  constructor(transport: Transport, call: Call) {
    this.#transport = transport
    this.#call = call
  }

  /** The data of the next event; null when the stream has ended, with `failure` set. */
  async next(): Promise<object | null> {
    try {
      this.#alive()
      this.#events ??= await this.#open()
      let spent: ApiError | null = null
      for (;;) {
        const { done, value } = await this.#events.next()
        if (done || value.name === 'complete') {
          this.failure = spent ?? new ConnectionError('The gateway ended the subscription.')
          return null
        }
        const data = dataOf(value.data)
        if (!(data instanceof ApiError)) return data
        // The quota is spent: the stream goes on by itself in the next hour, or ends behind it.
        if (data.code !== SPENT) throw data
        spent = data
      }
    } catch (error) {
      this.failure = this.#failureOf(error)
    } finally {
      clearTimeout(this.#timer)
    }
    return null
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#ended.abort()
    await this.#events?.return()
  }

  async #open() {
    const signal = either(this.#ended.signal, this.#call.signal)
    const headers = { accept: 'text/event-stream' }
    const { body } = await this.#transport.open({ ...this.#call, headers }, signal)
    if (body === null) throw new ConnectionError('The answer has no events.')
    this.wasOpen = true
    return readEvents(body, this.#transport.maxBytes, () => this.#alive())
  }

  /** Nothing for too long: the connection is dead although nobody said so. */
  #alive(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => this.#ended.abort(new Error(`nothing came for ${SILENCE_MS} ms`)),
      SILENCE_MS,
    )
  }

  #failureOf(error: unknown): unknown {
    if (error instanceof ApiError || error instanceof ConnectionError) return error
    try {
      return lost(error, this.#ended.signal, this.#call.signal)
    } catch (reason) {
      return reason
    }
  }
}

/** The data of an event, or what refused it. */
function dataOf(text: string): object | ApiError {
  const { data, errors = [] } = JSON.parse(text) as GraphQLBody // GraphQL over server-sent events
  if (typeof data === 'object' && data !== null && errors.length === 0) return data
  return new ApiError(graphqlFailureOf(errors[0]), null)
}

/** The `cursor` that the root field of a subscription gives with each event. */
function cursorOf(data: object): string | null {
  const [event] = Object.values(data) as unknown[]
  if (typeof event !== 'object' || event === null || !('cursor' in event)) return null
  return typeof event.cursor === 'string' ? event.cursor : null
}
