import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { ApiError } from '../core/errors.js'
import type { DoorPlugin } from '../graphql/door-plugin.js'
import type { DoorContext, Refuse } from '../platform/door-context.js'
import type { RequestFacts } from '../platform/request-facts.js'
import type { Principal } from '../policy/principal.js'
import { isGuarded } from './paths.js'

export interface Credentials {
  readonly apiKey: string | null
  readonly bearer: string | null
}

export interface OriginOptions {
  /** Keys the hash of callers' addresses. */
  readonly pepper: string
  readonly trustProxy: boolean
  /** Hashes of addresses that were made before. */
  readonly known: LRUCache<string, string>
}

/** Addresses whose hash is remembered; the rest is hashed anew. */
const MAX_KNOWN_ADDRESSES = 10_000

export function originOptions(pepper: string, trustProxy: boolean): OriginOptions {
  return { pepper, trustProxy, known: new LRUCache({ max: MAX_KNOWN_ADDRESSES }) }
}

/** Notes where a request comes from, before its credentials are looked at. */
export function useOrigin(options: OriginOptions): DoorPlugin {
  return {
    onRequest({ request, url, serverContext }) {
      if (!isGuarded(url.pathname)) return
      const door = serverContext as unknown as DoorContext & { req?: IncomingMessage } // set by useRequestId
      door.origin = originOf(request.headers.get('x-forwarded-for'), door.req?.socket.remoteAddress, options)
    },
  }
}

export interface AuthenticateOptions {
  /** Who the credentials belong to; anonymous for none; throws `unauthorized` for wrong ones. */
  readonly authenticate: (credentials: Credentials, now: Date) => Principal | Promise<Principal>
  readonly refuse: Refuse
}

/** Turns key or token into a principal before anything else looks at the request. */
export function useAuthenticate(options: AuthenticateOptions): DoorPlugin {
  return {
    async onRequest({ request, url, serverContext, endResponse }) {
      if (!isGuarded(url.pathname) || request.method === 'OPTIONS') return
      const door = serverContext
      try {
        door.principal = await options.authenticate(credentialsOf(request), door.now)
      } catch (error) {
        endResponse(options.refuse(error, request, door))
      }
    },
  }
}

/** What a request brings to say who asks; throws `unauthorized` for an Authorization header of another kind. */
export function credentialsOf(request: RequestFacts): Credentials {
  return parseCredentials(request.headers.get('x-api-key'), request.headers.get('authorization'))
}

/** The same from the two headers. */
export function parseCredentials(apiKey: string | null, authorization: string | null): Credentials {
  if (authorization !== null && !/^bearer \S+$/i.test(authorization)) {
    throw new ApiError('unauthorized', {
      message: 'The Authorization header must be: Bearer <access_token>.',
    })
  }
  // An empty header is how a key box that nobody filled in looks: no key, not a wrong one.
  return {
    apiKey: apiKey || null,
    bearer: authorization?.slice('bearer '.length) ?? null,
  }
}

/** Addresses are used for throttles and the audit, as a keyed hash only. */
export function originOf(
  forwardedFor: string | null | undefined,
  remoteAddress: string | undefined,
  options: OriginOptions,
): string {
  const forwarded = options.trustProxy ? forwardedFor?.split(',').at(-1)?.trim() : undefined
  const address = forwarded || remoteAddress || 'unknown'
  const known = options.known.get(address)
  if (known !== undefined) return known
  const origin = createHmac('sha256', options.pepper).update(address).digest('base64url').slice(0, 22)
  options.known.set(address, origin)
  return origin
}
