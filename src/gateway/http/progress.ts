import type { Target } from '../../platform/request/transport.js'
import { ANONYMOUS, type Principal } from '../../policy/principal.js'
import type { QuotaStatus } from '../../policy/quota.js'
import type { TransportName } from './response/access-log.js'

/** What the pipeline knows about a request so far. `finish` uses it for headers, log and metrics. */
export interface Progress {
  transport: TransportName
  /** The target of the request; null while unknown, and for pages. */
  target: Target | null
  principal: Principal
  /** Root fields, separated by commas; null while unknown. */
  operation: string | null
  /** Whether the answer is as of the clock of the key, and depends on this instant and the data only. */
  isAsOfClock: boolean
  charged: number
  isCacheHit: boolean
  /** The caller's quotas; null if not loaded yet. */
  statuses: readonly QuotaStatus[] | null
}

/** Creates the progress of a request that has just arrived. */
export function newProgress(): Progress {
  return {
    transport: 'pages',
    target: null,
    principal: ANONYMOUS,
    operation: null,
    isAsOfClock: false,
    charged: 0,
    isCacheHit: false,
    statuses: null,
  }
}
