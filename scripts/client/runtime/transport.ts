import { apiErrorOf, BoundError, ConnectionError } from './errors.js'
import { Retries, type RetryBounds } from './retry.js'

export interface ClientOptions {
  /** Where the gateway is: `https://gateway.example.org`. */
  readonly url: string
  /** An API key, sent as `X-API-Key`. */
  readonly key?: string
  /** The access token of a login, sent as `Authorization: Bearer`, in place of a key. */
  readonly token?: string
  /** Attempts of a request that only reads; 4 where left out. */
  readonly attempts?: number
  /** Milliseconds that all attempts of a request take together; 90,000 where left out. */
  readonly totalMs?: number
  /** Milliseconds that one attempt takes; 45,000 where left out: a long poll takes up to 30. */
  readonly timeoutMs?: number
  /** Bytes of one answer or event; 32 MiB where left out. */
  readonly maxBytes?: number
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch
}

/** One request, before its attempts. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path and query. */
  readonly target: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** It may be sent again: it changes nothing, or the gateway knows that it is the same. */
  readonly isRepeatable: boolean
  readonly signal?: AbortSignal | undefined
}

/** A whole answer; `body` is null where there is none. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Sends requests, again where that may help, and reads answers up to a bound. */
export class Transport {
  readonly maxBytes: number
  readonly #options: ClientOptions
  readonly #bounds: RetryBounds
  readonly #timeoutMs: number
  readonly #base: string

  constructor(options: ClientOptions) {
    this.#options = options
    this.#base = options.url.replace(/\/+$/, '')
    this.#bounds = { attempts: options.attempts ?? 4, totalMs: options.totalMs ?? 90_000 }
    this.#timeoutMs = options.timeoutMs ?? 45_000
    this.maxBytes = options.maxBytes ?? 32 * 2 ** 20
  }

  /** Throws an `ApiError` for every status but 2xx. */
  async send(call: Call): Promise<Received> {
    const retries = new Retries(this.#bounds)
    for (;;) {
      try {
        return await this.#attempt(call, Math.min(this.#timeoutMs, retries.leftMs))
      } catch (error) {
        if (!call.isRepeatable) throw error
        await retries.waitAfter(error, call.signal)
      }
    }
  }

  async #attempt(call: Call, timeoutMs: number): Promise<Received> {
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    try {
      const signal = either(deadline.signal, call.signal)
      const response = await this.open(call, signal)
      const { status, headers } = response
      const text = await readText(response, this.maxBytes).catch((error) => lost(error, signal, call.signal))
      return { status, headers, body: text === '' ? null : parse(text, response) }
    } finally {
      clearTimeout(timer)
    }
  }

  /** The answer with its body still to be read. */
  async open(call: Call, signal: AbortSignal): Promise<Response> {
    const { key, token, fetch: send = fetch } = this.#options
    const response = await send(this.#base + call.target, {
      method: call.method,
      signal,
      // A key goes to nobody but the gateway.
      redirect: 'error',
      headers: {
        accept: 'application/json',
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...call.headers,
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    }).catch((error: unknown) => lost(error, signal, call.signal))
    if (response.ok) return response
    const text = await readText(response, this.maxBytes).catch((error) => lost(error, signal, call.signal))
    throw apiErrorOf(response.status, response.headers, parsed(text))
  }
}

/** Aborted as soon as one of them is. */
export function either(first: AbortSignal, second: AbortSignal | undefined): AbortSignal {
  return second === undefined ? first : AbortSignal.any([first, second])
}

/** What the caller aborted ends with the caller's reason; anything else is a lost connection. */
export function lost(error: unknown, signal: AbortSignal, callers: AbortSignal | undefined): never {
  callers?.throwIfAborted()
  if (error instanceof BoundError) throw error
  const cause: unknown = signal.aborted ? signal.reason : error
  const reason = cause instanceof Error ? cause.message : String(cause)
  throw new ConnectionError(`The gateway did not answer: ${reason}`, { cause })
}

/** The body as text, given up as soon as it is too long. */
async function readText(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength
    if (bytes > maxBytes) {
      await reader.cancel().catch(() => {}) // it is of no use any more
      throw new BoundError(`The answer has more than ${maxBytes} bytes (maxBytes).`)
    }
    text += decoder.decode(part.value, { stream: true })
  }
  return text + decoder.decode()
}

/** The body of a success, which is always JSON. */
function parse(text: string, { status, headers }: Response): unknown {
  const body = parsed(text)
  if (body === undefined) throw apiErrorOf(status, headers, { message: 'The answer is not JSON.' })
  return body
}

/** Undefined where it is no JSON: the page of a proxy. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
