import type { CorsOrigins } from '../../../config/cors-origins.js'
import type { Exchange, FinishedReply, Reply, ReplyBody } from '../../../platform/request/exchange.js'
import { isStream } from '../../../platform/request/reply-body.js'
import type { Caller } from '../../../policy/principal.js'
import { isOfAccounts } from '../../paths.js'
import { limitHeaders, withoutTightest } from '../limits/limit-headers.js'
import type { Meter } from '../limits/meter.js'
import type { Progress } from '../progress.js'
import type { AccessLog } from './access-log.js'
import { acceptedEncoding, compress, compressStream, MIN_COMPRESSED_BYTES } from './compression.js'
import { corsHeaders } from './cors.js'
import type { OpenStreams } from './open-streams.js'
import type { Receipts } from './receipts.js'

export interface FinishOptions {
  readonly meter: Meter
  readonly accessLog: AccessLog
  readonly corsOrigins: CorsOrigins
  readonly streams: OpenStreams
  readonly receipts: Receipts
  /** Returns the HSTS header for a request over TLS. */
  readonly transportSecurity: (exchange: Exchange) => readonly string[]
}

/** The response depends on these request headers. */
const VARY = 'Accept, X-API-Key, Authorization, Accept-Encoding, Prefer'

const COMPRESSIBLE = /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?(?:json|x-ndjson|xml|graphql))/

/**
 * Completes every reply: receipt, request id, security headers, limits, CORS, Vary, no caching of private data, compression,
 * and the line in the access log.
 */
export function finish(
  exchange: Exchange,
  progress: Progress,
  reply: Reply,
  options: FinishOptions,
): FinishedReply | Promise<FinishedReply> {
  const receipt = options.receipts(exchange, progress, reply)
  if (receipt === null) return complete(exchange, progress, reply, options)
  return receipt.then((more) =>
    complete(exchange, progress, { ...reply, headers: [...reply.headers, ...more] }, options),
  )
}

function complete(
  exchange: Exchange,
  progress: Progress,
  reply: Reply,
  options: FinishOptions,
): FinishedReply | Promise<FinishedReply> {
  const { meter, accessLog, streams } = options
  const limits = getLimitHeaders(exchange, progress, meter)
  const note = (finished: FinishedReply) =>
    streams.track(logRequest(finished, exchange, progress, accessLog), exchange)
  const end = (limited: readonly string[]) => {
    const headers = buildHeaders(exchange, progress, reply, limited, options)
    const finished = compressReply(exchange, { ...reply, headers })
    return finished instanceof Promise ? finished.then(note) : note(finished)
  }
  return limits instanceof Promise ? limits.then(end) : end(limits)
}

function buildHeaders(
  exchange: Exchange,
  { transport, target }: Progress,
  reply: Reply,
  limits: readonly string[],
  { corsOrigins, transportSecurity }: FinishOptions,
): string[] {
  const headers = [...reply.headers]
  // nosniff: a browser must not guess another type, not even for an error or an export.
  headers.push('x-request-id', exchange.requestId, 'x-content-type-options', 'nosniff')
  if (exchange.urlKey !== undefined) headers.push('referrer-policy', 'no-referrer')
  append(headers, transportSecurity(exchange))
  if (target !== null && reply.status < 400) append(headers, target.headers)
  if (transport === 'pages') headers.push('vary', 'Accept-Encoding')
  else {
    append(headers, reply.headers.includes('x-ratelimit-reset') ? withoutTightest(limits) : limits)
    headers.push('vary', VARY)
    if (reply.status >= 400 || isOfAccounts(exchange.path)) headers.push('cache-control', 'no-store')
  }
  const origin = exchange.header('origin')
  if (origin !== null) {
    append(headers, corsHeaders(origin, corsOrigins))
    headers.push('vary', 'Origin')
  }
  return headers
}

/** A loop is faster than spreading the list into the arguments of `push`. */
function append(headers: string[], more: readonly string[]): void {
  for (const text of more) headers.push(text)
}

/** Writes the request's line in the access log. A preflight has none, because the request that it allows has one. */
function logRequest(
  finished: FinishedReply,
  exchange: Exchange,
  progress: Progress,
  accessLog: AccessLog,
): FinishedReply {
  if (exchange.method === 'OPTIONS' && finished.status === 204) return finished
  const { transport, target, principal, operation, charged, isCacheHit } = progress
  const { requestId, method, path, startedAt } = exchange
  accessLog.note({
    transport,
    route: target?.route ?? null,
    requestId,
    method,
    path,
    status: finished.status,
    startedAt,
    principal,
    operation,
    charged,
    isCacheHit,
  })
  return finished
}

/** Returns the headers of the caller's quotas; none if the counters cannot be read, in which case most replies are a 503. */
function getLimitHeaders(
  exchange: Exchange,
  progress: Progress,
  meter: Meter,
): readonly string[] | Promise<readonly string[]> {
  const { principal, statuses } = progress
  if (principal.kind === 'anonymous' || progress.transport === 'pages') return []
  return statuses === null ? currentLimits(exchange, principal, meter) : limitHeaders(statuses, exchange.now)
}

async function currentLimits(exchange: Exchange, caller: Caller, meter: Meter): Promise<readonly string[]> {
  try {
    return limitHeaders(await meter.statuses(caller, exchange.now), exchange.now)
  } catch (error) {
    exchange.log.warn({ err: error }, 'the rate limit headers could not be created')
    return []
  }
}

/**
 * Compresses the reply in the coding that the client prefers, unless it is small. HEAD has the headers of GET, but no
 * Content-Length, because the body is not compressed for it.
 */
function compressReply(exchange: Exchange, reply: FinishedReply): FinishedReply | Promise<FinishedReply> {
  const { body, headers } = reply
  if (body === null || isSmall(body)) return reply
  const encoding = acceptedEncoding(exchange.header('accept-encoding'))
  if (encoding === null || !isCompressible(headers)) return reply
  headers.push('content-encoding', encoding)
  if (exchange.method === 'HEAD') return isStream(body) ? reply : { ...reply, body: null }
  if (reply.encoded !== undefined) return withBody(reply, reply.encoded(encoding))
  if (isStream(body)) return { ...reply, body: compressStream(body, encoding) }
  return withBody(
    reply,
    compress(typeof body === 'string' ? Buffer.from(body, reply.charset) : body, encoding),
  )
}

function withBody(
  reply: FinishedReply,
  bytes: Buffer | Promise<Buffer>,
): FinishedReply | Promise<FinishedReply> {
  return bytes instanceof Promise ? bytes.then((body) => ({ ...reply, body })) : { ...reply, body: bytes }
}

function isSmall(body: NonNullable<ReplyBody>): boolean {
  return !isStream(body) && body.length < MIN_COMPRESSED_BYTES
}

function isCompressible(headers: readonly string[]): boolean {
  let isOfType = false
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === 'content-encoding') return false
    if (headers[at] === 'content-type') isOfType = COMPRESSIBLE.test(headers[at + 1] ?? '')
  }
  return isOfType
}
