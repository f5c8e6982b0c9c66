import type { Principal } from '../policy/principal.js'
import type { Standing } from '../policy/quota.js'
import type { TransportName } from './response/access-log.js'

/** What the pipeline learns of a request on its way; its end reads it for headers, log and metrics. */
export interface Progress {
  transport: TransportName
  /** What each reply to this target carries unless it is an error. */
  targetHeaders: readonly string[]
  principal: Principal
  /** Root fields by comma; null while none is known. */
  operation: string | null
  charged: number
  isCacheHit: boolean
  /** What is left of the caller's quotas; null: not looked up yet. */
  standings: readonly Standing[] | null
}
