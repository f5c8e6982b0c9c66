import { setTimeout as sleep } from 'node:timers/promises'
import { exponentialBackOffMs } from '../../core/exponential-back-off.js'
import type { RequestRate } from '../../core/request-rate.js'
import { parseRetryAfter } from '../../core/retry-after.js'
import type { Logger } from '../logger.js'
import { watchForBlock } from './address-block.js'
import { CircuitBreaker, type Permit } from './circuit-breaker.js'
import { getFollowing, RefusedRedirect } from './follow-redirects.js'
import {
  type DownloadedFile,
  type HttpResponse,
  type ReadResponse,
  readIntoFile,
  readIntoMemory,
} from './read-response.js'
import { redactUrl } from './redact-url.js'
import type { RequestTurns, Turn } from './request-turns.js'
import { isUnsent, UpstreamError } from './upstream-error.js'

/** Pauses before retries; each is shortened at random so that many clients do not retry at the same time. */
const BACK_OFF = { firstMs: 200, maxMs: 5_000 }

/** Temporary failures (RFC 9110, RFC 6585); every other status is an answer. */
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

export interface HttpRequest {
  readonly url: string
  /** The address for logs and messages, where `url` has a secret that `redactUrl` cannot know. */
  readonly shownUrl?: string
  /** GET by default. A method that changes something upstream should have `retries: 0`. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Time limit of the whole call, including retries and pauses, without waits for a rate that has no `maxWaitMs`. */
  readonly timeoutMs: number
  /** Time limit of each attempt until the first byte of the body; by default the whole limit, 30 s for a download. */
  readonly firstByteMs?: number
  /** A longer body is aborted while it streams. */
  readonly maxBytes: number
  /** Attempts after the first. */
  readonly retries: number
  /**
   * Redirects are returned, not followed, because only the caller decides which host is contacted. Redirects of methods other
   * than GET are never followed. follow-redirects.ts has the rules for followed ones.
   */
  readonly refusesRedirects?: boolean
  readonly signal?: AbortSignal
  /** The caller logs failures itself; by default the client logs a warning. */
  readonly isReportedByCaller?: boolean
  /** The name of the circuit, for a host that serves several upstreams; the host by default. */
  readonly circuit?: string
  /** Each attempt and each followed redirect waits for its turn. */
  readonly rate?: RequestRate
}

export interface HttpClient {
  /**
   * Any status except 429, 500, 502, 503 and 504 is an answer that the caller interprets. Throws UpstreamError, or the
   * signal's reason when the caller cancelled. After a block, or a 429 with Retry-After, a provider with a rate gets no
   * requests until then.
   */
  request(request: HttpRequest): Promise<HttpResponse>
}

export interface DownloadClient {
  /** As `request`, but writes the body to a file that only this user may read, so it is never in memory as a whole. */
  download(request: HttpRequest, path: string): Promise<DownloadedFile>
}

export interface HttpClientOptions {
  readonly log: Pick<Logger, 'debug' | 'warn'>
  /** Sent with every request; providers ask for a product name and a contact. */
  readonly userAgent: string
  /** Monotonic milliseconds for time-outs and circuits; tests pass their own. */
  readonly nowMs?: () => number
  /** Gives turns to requests with a rate; without it they do not wait. */
  readonly turns?: RequestTurns
}

/** A file may take minutes, but a server that sends nothing is abandoned sooner. */
const FIRST_BYTE_MS = 30_000

interface Call {
  readonly request: HttpRequest
  readonly url: URL
  readonly shown: string
  deadlineMs: number
}

/** The only way out of the process over HTTP: bounded in time and size, retried, with one circuit per host. */
export function createHttpClient(options: HttpClientOptions): HttpClient & DownloadClient {
  const nowMs = options.nowMs ?? (() => performance.now())
  const breaker = new CircuitBreaker(nowMs)

  async function attempt<Result>(call: Call, read: ReadResponse<Result>): Promise<Result> {
    const passage = enter(breaker, call)
    try {
      await waitForTurn(call)
      const response = await exchange(call, { userAgent: options.userAgent, nowMs, waitForTurn }, read)
      passage.succeed()
      return response
    } catch (error) {
      settle(passage, error)
      await startRest(call, error)
      throw error
    }
  }

  async function waitForTurn(call: Call): Promise<void> {
    const { rate, signal } = call.request
    if (rate === undefined || options.turns === undefined) return
    const startedMs = nowMs()
    const turn = await options.turns.reserve(rate)
    if (!('waitMs' in turn)) throw unsent(call, turn)
    await pause(turn.waitMs, signal)
    if (rate.maxWaitMs === undefined) call.deadlineMs += nowMs() - startedMs
    else if (nowMs() >= call.deadlineMs) throw unsent(call, { retryAfterMs: rate.pauseMs, rest: null })
  }

  /** The other requests to the provider rest too, on all nodes. */
  async function startRest({ request: { rate }, shown }: Call, error: unknown): Promise<void> {
    if (rate === undefined || !(error instanceof UpstreamError)) return
    const restMs = error.kind === 'blocked' || error.status === 429 ? (error.retryAfterMs ?? 0) : 0
    if (restMs === 0) return
    try {
      await options.turns?.rest(rate.provider, restMs, error.message)
    } catch (cause) {
      // The caller needs the answer of the provider. Later requests get the same one.
      options.log.warn({ url: shown, err: cause }, 'the rest of a provider could not be stored')
    }
  }

  async function ask<Result extends { readonly status: number }>(
    request: HttpRequest,
    read: ReadResponse<Result>,
  ): Promise<Result> {
    const url = new URL(request.url)
    const call = {
      request,
      url,
      shown: redactUrl(request.shownUrl ?? request.url),
      deadlineMs: nowMs() + request.timeoutMs,
    }
    let failure: unknown = null
    for (let retry = 0; ; retry++) {
      try {
        const response = await attempt(call, read)
        options.log.debug({ url: call.shown, status: response.status }, 'upstream answered')
        return response
      } catch (error) {
        const pauseMs = pauseBefore(retry, error)
        const isLast = retry >= request.retries || pauseMs === null || nowMs() + pauseMs >= call.deadlineMs
        const reason = error instanceof Error ? error.message : String(error)
        // One failure is one warning: an attempt that is retried is not reported, and an unsent request has a cause that was.
        const isReported = request.isReportedByCaller === true || isUnsent(error)
        const level = isLast && !isReported ? 'warn' : 'debug'
        options.log[level]({ url: call.shown, attempt: retry + 1, reason, isLast }, 'upstream failed')
        // The host was contacted before its circuit opened.
        if (isLast) throw isUnsent(error) ? (failure ?? error) : error
        failure = error
        await pause(pauseMs, request.signal)
      }
    }
  }

  return {
    request: (request) => ask(request, readIntoMemory),
    download: (request, path) => ask({ firstByteMs: FIRST_BYTE_MS, ...request }, readIntoFile(path)),
  }
}

function unsent({ shown }: Call, { retryAfterMs, rest }: RefusedTurn): UpstreamError {
  const reason =
    rest === null
      ? 'gets no more requests for a while'
      : `is not requested before ${rest.until.toISOString()}: ${rest.cause}`
  return new UpstreamError('rate_used_up', `${shown} ${reason}`, { retryAfterMs })
}

function enter(breaker: CircuitBreaker, { request, url, shown }: Call): Permit {
  const circuit = request.circuit ?? url.host
  const passage = breaker.acquire(circuit)
  if (passage !== null) return passage
  const retryAfterMs = breaker.remainingMs(circuit)
  const cause = breaker.firstCause(circuit)
  throw new UpstreamError(
    'open_circuit',
    `${shown} failed repeatedly (${cause}); no further requests are sent for a while`,
    {
      retryAfterMs,
    },
  )
}

/** Throttling, a block, too large a body, a cancelling caller and our own rate do not count as failures of the host. */
function settle(passage: Permit, error: unknown): void {
  if (!(error instanceof UpstreamError) || error.kind === 'rate_used_up') passage.abandon()
  else if (error.kind === 'too_large' || error.kind === 'blocked' || error.status === 429) passage.succeed()
  else passage.fail(shortCause(error))
}

/** Without the address, which the message of an open circuit already contains. */
function shortCause({ kind, status, cause }: UpstreamError): string {
  if (kind === 'status') return `status ${status}`
  if (kind === 'unreachable') return causeOf(cause)
  return kind.replace('_', ' ')
}

/** Null if a retry is useless. The host's Retry-After applies if it is longer. */
function pauseBefore(retry: number, error: unknown): number | null {
  if (!(error instanceof UpstreamError)) return null
  if (error.kind !== 'unreachable' && error.kind !== 'status') return null
  const backoffMs = exponentialBackOffMs(retry + 1, BACK_OFF) * (0.5 + Math.random() / 2)
  return Math.max(backoffMs, error.retryAfterMs ?? 0)
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  }
}

type RefusedTurn = Exclude<Turn, { readonly waitMs: number }>

interface ExchangeOptions {
  readonly userAgent: string
  readonly nowMs: () => number
  readonly waitForTurn: (call: Call) => Promise<void>
}

async function exchange<Result>(
  call: Call,
  { userAgent, nowMs, waitForTurn }: ExchangeOptions,
  read: ReadResponse<Result>,
): Promise<Result> {
  const { request, shown } = call
  const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(call.deadlineMs - nowMs())))
  const silence = new AbortController()
  const { firstByteMs } = request
  const timer = firstByteMs === undefined ? undefined : setTimeout(() => silence.abort(), firstByteMs)
  const signals = [timeout, silence.signal, ...(request.signal === undefined ? [] : [request.signal])]
  const signal = AbortSignal.any(signals)
  try {
    const response = await send(request, { userAgent, signal, beforeRedirect: () => waitForTurn(call) })
    const blockMs = request.rate?.blockMs
    const block = blockMs === undefined ? null : watchForBlock(response, shown, blockMs)
    const failure = block?.byStatus() ?? failureOf(response, shown)
    if (failure !== null) {
      await response.body?.cancel()
      throw failure
    }
    const result = await read(response, request.maxBytes, shown, (chunk) => {
      clearTimeout(timer)
      block?.add(chunk)
    })
    const blocked = block?.byBody() ?? null
    if (blocked !== null) throw blocked
    return result
  } catch (error) {
    if (error instanceof UpstreamError) throw error
    if (request.signal?.aborted) throw request.signal.reason
    if (silence.signal.aborted && !timeout.aborted) {
      throw new UpstreamError('timeout', `${shown} sent nothing within ${firstByteMs} ms`, { cause: error })
    }
    if (timeout.aborted) {
      throw new UpstreamError('timeout', `${shown} did not answer within ${request.timeoutMs} ms`, {
        cause: error,
      })
    }
    if (error instanceof RefusedRedirect)
      throw new UpstreamError('refused_redirect', `${shown} gave ${error.message}`)
    throw new UpstreamError('unreachable', `${shown} is unreachable (${causeOf(error)})`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

interface SendOptions {
  readonly userAgent: string
  readonly signal: AbortSignal
  readonly beforeRedirect: () => Promise<void>
}

function send(request: HttpRequest, { userAgent, signal, beforeRedirect }: SendOptions): Promise<Response> {
  const { url, method = 'GET', body } = request
  const headers = { 'user-agent': userAgent, ...request.headers }
  if (method === 'GET' && !request.refusesRedirects)
    return getFollowing({ url, headers, signal, beforeRedirect })
  return fetch(url, { method, headers, redirect: 'manual', signal, ...(body === undefined ? {} : { body }) })
}

function failureOf(response: Response, shown: string): UpstreamError | null {
  if (!TRANSIENT_STATUS.has(response.status)) return null
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), new Date())
  return new UpstreamError('status', `${shown} answered with status ${response.status}`, {
    status: response.status,
    retryAfterMs,
  })
}

/** undici reports only "fetch failed"; the reason is in its cause. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code
  return cause instanceof Error ? cause.message : 'unknown'
}
