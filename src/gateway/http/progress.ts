import type { Target } from '../../platform/request/transport.js'
import { ANONYMOUS, type Principal } from '../../policy/principal.js'
import type { QuotaStatus } from '../../policy/quota.js'
import type { TransportName } from './response/access-log.js'

/** What the pipeline learns of a request on its way; its end reads it for headers, log and metrics. */
export interface Progress {
  transport: TransportName
  /** What the request is addressed to; null while it is not known, and for pages. */
  target: Target | null
  principal: Principal
  /** Root fields by comma; null while none is known. */
  operation: string | null
  charged: number
  isCacheHit: boolean
  /** What is left of the caller's quotas; null: not looked up yet. */
  statuses: readonly QuotaStatus[] | null
}

/** Of a request that has just come in. */
export function newProgress(): Progress {
  return {
    transport: 'pages',
    target: null,
    principal: ANONYMOUS,
    operation: null,
    charged: 0,
    isCacheHit: false,
    statuses: null,
  }
}
