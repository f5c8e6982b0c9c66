import { ApiError, ConnectionError, graphqlFailureOf } from './errors.js'
import { readEvents } from './events.js'
import { type GraphQLBody, graphqlCall } from './graphql.js'
import { Retries } from './retry.js'
import type { Values } from './targets.js'
import { type Call, either, lost, type Transport } from './transport.js'

export interface SubscribeOptions {
  readonly signal?: AbortSignal
  /**
   * Whether to reconnect after a connection that was lost before its first event, when no cursor is known and events may be
   * missed. Default: false, so the loss is thrown. It does not apply if you start with a `cursor`.
   */
  readonly allowGap?: boolean
  /** Longest time for reconnecting, in milliseconds. Default: five minutes. */
  readonly reconnectMs?: number
}

/** Time without data after which a stream counts as dead. The gateway sends something every 12 seconds. */
const SILENCE_MS = 40_000

/** Maximum number of consecutive attempts. Usually `reconnectMs` ends them earlier. */
const ATTEMPTS = 1_000

const RECONNECT_MS = 300_000

/** Code of the event that reports a used-up quota. */
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
        yield data as Result // the document defines the type
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

/** One connection with its events. */
class Connection {
  readonly #transport: Transport
  readonly #call: Call
  readonly #ended = new AbortController()
  #events: AsyncGenerator<{ readonly name: string; readonly data: string }, void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Why the stream has ended. */
  failure: unknown
  wasOpen = false

  constructor(transport: Transport, call: Call) {
    this.#transport = transport
    this.#call = call
  }

  /** Returns the data of the next event; null if the stream has ended, with `failure` set. */
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
        // The quota is used up. The stream continues in the next hour by itself, or ends.
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
    if (body === null) throw new ConnectionError('The response has no events.')
    this.wasOpen = true
    return readEvents(body, this.#transport.maxBytes, () => this.#alive())
  }

  /** Aborts a connection that has sent nothing for too long. */
  #alive(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#ended.abort(new Error(`no data for ${SILENCE_MS} ms`)), SILENCE_MS)
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

/** The data of an event, or its failure. */
function dataOf(text: string): object | ApiError {
  const { data, errors = [] } = JSON.parse(text) as GraphQLBody // GraphQL over server-sent events
  if (typeof data === 'object' && data !== null && errors.length === 0) return data
  return new ApiError(graphqlFailureOf(errors[0]), null)
}

/** The `cursor` in the root field of an event. */
function cursorOf(data: object): string | null {
  const [event] = Object.values(data) as unknown[]
  if (typeof event !== 'object' || event === null || !('cursor' in event)) return null
  return typeof event.cursor === 'string' ? event.cursor : null
}
