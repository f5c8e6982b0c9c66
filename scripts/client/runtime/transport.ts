import { apiErrorOf, BoundError, ConnectionError } from './errors.js'
import { Retries, type RetryBounds } from './retry.js'

export interface ClientOptions {
  /** URL of the gateway: `https://gateway.example.org`. */
  readonly url: string
  /** An API key, sent as `X-API-Key`. */
  readonly key?: string
  /** The access token of a login, sent as `Authorization: Bearer` instead of a key. */
  readonly token?: string
  /** Maximum attempts of a request that only reads. Default: 4. */
  readonly attempts?: number
  /** Milliseconds for all attempts of a request. Default: 90,000. */
  readonly totalMs?: number
  /** Milliseconds for one attempt. Default: 45,000, because a long poll takes up to 30,000. */
  readonly timeoutMs?: number
  /** Maximum bytes of one response or event. Default: 32 MiB. */
  readonly maxBytes?: number
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch
}

/** One request, before its attempts. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path and query. */
  readonly target: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Whether it may be repeated: it changes nothing, or has an idempotency key. */
  readonly isRepeatable: boolean
  readonly signal?: AbortSignal | undefined
}

/** A complete response; `body` is null without a body. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Sends requests with retries, and reads responses up to a limit. */
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

  /** Throws an `ApiError` for every status except 2xx. */
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
    const timer = setTimeout(() => deadline.abort(new Error(`no response within ${timeoutMs} ms`)), timeoutMs)
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

  /** Returns the response before its body is read. */
  async open(call: Call, signal: AbortSignal): Promise<Response> {
    const { key, token, fetch: send = fetch } = this.#options
    const response = await send(this.#base + call.target, {
      method: call.method,
      signal,
      // A redirect could send the key to another host.
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

/** A signal that is aborted as soon as one of the two is. */
export function either(first: AbortSignal, second: AbortSignal | undefined): AbortSignal {
  return second === undefined ? first : AbortSignal.any([first, second])
}

/** Throws the caller's reason if the caller aborted the request, else a ConnectionError. */
export function lost(error: unknown, signal: AbortSignal, callers: AbortSignal | undefined): never {
  callers?.throwIfAborted()
  if (error instanceof BoundError) throw error
  const cause: unknown = signal.aborted ? signal.reason : error
  const reason = cause instanceof Error ? cause.message : String(cause)
  throw new ConnectionError(`The gateway did not respond: ${reason}`, { cause })
}

/** Reads the body as text. Throws as soon as it is too long. */
async function readText(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength
    if (bytes > maxBytes) {
      await reader.cancel().catch(() => {}) // the stream may have failed
      throw new BoundError(`The response has more than ${maxBytes} bytes (maxBytes).`)
    }
    text += decoder.decode(part.value, { stream: true })
  }
  return text + decoder.decode()
}

/** The body of a success, which is always JSON. */
function parse(text: string, { status, headers }: Response): unknown {
  const body = parsed(text)
  if (body === undefined) throw apiErrorOf(status, headers, { message: 'The response is not JSON.' })
  return body
}

/** Returns undefined for a text that is not JSON, such as the page of a proxy. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
