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
  /** GET by default. */
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

export interface Guard {
  /** Whether an address may be connected to; by default public addresses only. */
  readonly isAllowed?: (address: string) => boolean
  /** The system's resolver by default. */
  readonly resolve?: Resolve
  /** Certificates of trusted authorities; those of the system by default. */
  readonly ca?: string
}

/** Statuses whose responses have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304])

/**
 * One request to an address that the operator did not choose. The address is checked at the moment of the connection, which
 * is not reused. A redirect is returned, never followed. Throws ForbiddenAddress or the error of the socket. The signal
 * bounds the time; the caller reads the body and bounds its size.
 */
export async function guardedRequest(
  { url, method = 'GET', headers, body, signal }: GuardedRequest,
  { isAllowed = isPublicAddress, resolve = resolveHost, ca }: Guard = {},
): Promise<Response> {
  assertAllowed(hostOf(url), isAllowed)
  const options = {
    method,
    // The body is bounded while it is read, so only the content coding that is decoded here is accepted.
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
  return new Response(Readable.toWeb(decoded(incoming, headers)) as ReadableStream, { status, headers }) // node types the same stream differently
}

/** The decoded body; the headers no longer describe it. */
function decoded(incoming: IncomingMessage, headers: Headers): Readable {
  if (headers.get('content-encoding') !== 'gzip') return incoming
  headers.delete('content-encoding')
  headers.delete('content-length')
  const plain = createGunzip()
  incoming.once('error', (error) => plain.destroy(error))
  plain.once('close', () => incoming.destroy())
  return incoming.pipe(plain)
}
