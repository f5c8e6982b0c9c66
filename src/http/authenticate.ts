import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../core/errors.js'
import type { DoorPlugin } from '../graphql/door-plugin.js'
import type { DoorContext, Refuse } from '../platform/door-context.js'
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
}

/** Notes where a request comes from, before its credentials are looked at. */
export function useOrigin(options: OriginOptions): DoorPlugin {
  return {
    onRequest({ request, url, serverContext }) {
      if (!isGuarded(url.pathname)) return
      const door = serverContext as unknown as DoorContext & { req?: IncomingMessage } // set by useRequestId
      door.origin = originOf(request, door.req, options)
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
export function credentialsOf(request: Request): Credentials {
  const authorization = request.headers.get('authorization')
  if (authorization !== null && !/^bearer \S+$/i.test(authorization)) {
    throw new ApiError('unauthorized', {
      message: 'The Authorization header must be: Bearer <access_token>.',
    })
  }
  // An empty header is how a key box that nobody filled in looks: no key, not a wrong one.
  return {
    apiKey: request.headers.get('x-api-key') || null,
    bearer: authorization?.slice('bearer '.length) ?? null,
  }
}

/** Addresses are used for throttles and the audit, as a keyed hash only. */
function originOf(request: Request, req: IncomingMessage | undefined, options: OriginOptions): string {
  const forwarded = options.trustProxy
    ? request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim()
    : undefined
  const address = forwarded || req?.socket.remoteAddress || 'unknown'
  return createHmac('sha256', options.pepper).update(address).digest('base64url').slice(0, 22)
}
