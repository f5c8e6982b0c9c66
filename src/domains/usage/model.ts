import type { DemoPolicyName, PolicyName } from '../../policy/quota.js'
import type { Tier } from '../../policy/tiers.js'

/** The state of one quota window. */
export interface PolicyUsage {
  /** An account has no window that visitors with the demo key share. */
  readonly policy: Exclude<PolicyName, DemoPolicyName>
  readonly used: number
  readonly quota: number
  readonly remaining: number
  readonly reset: Date
}

/** What one operation was charged on one UTC day. */
export interface DayUsage {
  readonly date: string
  readonly operation: string
  readonly units: number
  readonly requests: number
}

export interface Usage {
  readonly tier: Tier
  readonly policies: readonly PolicyUsage[]
  /** Newest day first; days without usage are omitted. */
  readonly days: readonly DayUsage[]
}
