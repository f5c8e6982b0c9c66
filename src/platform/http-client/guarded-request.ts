import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import {
  assertAllowed,
  checkedLookup,
  hostOf,
  isPublicAddress,
  type Resolve,
  resolveHost,
} from './public-address.js'

export interface GuardedRequest {
  /** http or https, without user and password. */
  readonly url: URL
  /** GET when left out. */
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

export interface Guard {
  /** The addresses that may be connected to; left out: those of the public Internet. */
  readonly isAllowed?: (address: string) => boolean
  /** Left out: the resolver of the system. */
  readonly resolve?: Resolve
  /** Certificates of the authorities that are trusted; left out: those of the system. */
  readonly ca?: string
}

/** Statuses whose responses have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304])

/**
 * One request to an address that was not chosen by the operator. The address is checked when it is connected to, on a
 * connection of its own; a redirect is an answer and never followed. Throws ForbiddenAddress, or the error of the socket;
 * the signal bounds the time, and the caller, which reads the body, bounds its size.
 */
export async function guardedRequest(
  { url, method = 'GET', headers, body, signal }: GuardedRequest,
  { isAllowed = isPublicAddress, resolve = resolveHost, ca }: Guard = {},
): Promise<Response> {
  assertAllowed(hostOf(url), isAllowed)
  const options = {
    method,
    // A body is bounded as it is read, so it is asked for in the one coding that is undone here.
    headers: { 'accept-encoding': 'gzip', ...headers },
    signal,
    agent: false as const,
    lookup: checkedLookup(resolve, isAllowed),
    ...(ca === undefined ? {} : { ca }),
  }
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    send(url, options, resolve).once('error', reject).end(body)
  })
  return responseOf(incoming)
}

function responseOf(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 0
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  if (WITHOUT_BODY.has(status)) {
    incoming.resume()
    return new Response(null, { status, headers })
  }
  return new Response(Readable.toWeb(decoded(incoming, headers)) as ReadableStream, { status, headers }) // node's own type of the same stream
}

/** The body without its content coding; the headers then no longer describe it. */
function decoded(incoming: IncomingMessage, headers: Headers): Readable {
  if (headers.get('content-encoding') !== 'gzip') return incoming
  headers.delete('content-encoding')
  headers.delete('content-length')
  const plain = createGunzip()
  incoming.once('error', (error) => plain.destroy(error))
  plain.once('close', () => incoming.destroy())
  return incoming.pipe(plain)
}
