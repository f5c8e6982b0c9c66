import { ApiError } from '../core/errors.js'
import type { Clock } from '../core/time.js'
import type { DataVersions } from '../platform/data-version.js'
import type { LiveRequest } from '../platform/request-context.js'
import type { RequestFacts } from '../platform/request-facts.js'
import type { Principal } from '../policy/principal.js'
import { type Credentials, credentialsOf } from './authenticate.js'

export interface LiveOptions {
  readonly clock: Clock
  readonly versions: DataVersions
  /** The process takes no more work. */
  readonly isStopping: () => boolean
  readonly authenticate: (credentials: Credentials) => Principal | Promise<Principal>
}

/** What a request that stays open asks while it does; costs nothing where nobody asks. */
export function liveRequest(request: RequestFacts, principal: Principal, options: LiveOptions): LiveRequest {
  let isEnded = false
  return {
    end: () => {
      isEnded = true
    },
    isOver: async () =>
      isEnded || options.isStopping() || request.signal.aborted || !(await isStillAllowed()),
    refresh: async () => ({ now: options.clock.now(), datasets: await options.versions.current() }),
  }

  /** A key that was revoked, or lost a scope, ends what it opened. */
  async function isStillAllowed(): Promise<boolean> {
    if (principal.kind === 'anonymous') return true
    try {
      const now = await options.authenticate(credentialsOf(request))
      return now.kind !== 'anonymous' && [...principal.scopes].every((scope) => now.scopes.has(scope))
    } catch (error) {
      if (error instanceof ApiError && error.code === 'unauthorized') return false
      throw error
    }
  }
}
