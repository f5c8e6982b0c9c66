import { ApiError } from '../../core/errors.js'
import type { Clock } from '../../core/time.js'
import type { DataVersions } from '../../platform/database/versions/data-versions.js'
import type { Exchange } from '../../platform/request/exchange.js'
import type { LiveRequest } from '../../platform/request/request-context.js'
import type { Principal } from '../../policy/principal.js'
import { stopOfStream } from '../../policy/quota.js'
import { parseCredentials } from './identity/credentials.js'
import type { Authenticate } from './identity/demo-callers.js'
import { type Admission, accountOf } from './limits/admission.js'
import type { Meter } from './limits/meter.js'

export interface LiveOptions {
  readonly clock: Clock
  readonly versions: DataVersions
  /** Whether the process is stopping. */
  readonly isDraining: () => boolean
  readonly authenticate: Authenticate
  readonly admission: Admission
  readonly meter: Meter
}

export type LiveRequestOf = (exchange: Exchange, principal: Principal) => LiveRequest

/** Creates the functions that an open request (subscription, long poll) uses while it runs. Other requests do not pay for them. */
export function createLiveRequests(options: LiveOptions): LiveRequestOf {
  return (exchange, principal) => {
    let isEnded = false
    // The first event was charged when the request began.
    let chargedAt = exchange.now
    return {
      end: () => {
        isEnded = true
      },
      isOver: async () =>
        isEnded ||
        options.isDraining() ||
        exchange.signal.aborted ||
        !(await isStillAllowed(exchange, principal, options)),
      acquirePermit: async () =>
        options.admission.acquire(accountOf(principal, exchange), options.clock.now()),
      charge: async (price) => {
        if (principal.kind === 'anonymous' || price.units === 0) return null
        const now = options.clock.now()
        const { accepted, statuses } = await options.meter.chargeEvent(principal, price, now)
        if (!accepted) return stopOfStream(principal.tier, statuses)
        chargedAt = now
        return null
      },
      refund: async (price) => {
        if (principal.kind === 'anonymous') return
        await options.meter.refundEvent(principal, price, { chargedAt, now: options.clock.now() })
      },
      refresh: async () => ({ now: options.clock.now(), datasets: await options.versions.current() }),
    }
  }
}

/** A revoked key, or one that has lost a scope, ends its open requests. */
async function isStillAllowed(
  exchange: Exchange,
  principal: Principal,
  { authenticate, clock }: LiveOptions,
): Promise<boolean> {
  if (principal.kind === 'anonymous') return true
  try {
    const now = await authenticate(parseCredentials(exchange), clock.now(), exchange.clientAddress)
    return now.kind !== 'anonymous' && [...principal.scopes].every((scope) => now.scopes.has(scope))
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unauthorized') return false
    throw error
  }
}
