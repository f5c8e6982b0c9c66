import { definePort } from '../../platform/ports.js'
import type { UsageRecorder } from '../../platform/usage.js'

export const usagePort = definePort<UsageRecorder>('usage')

/** Where one quota window stands. */
export interface PolicyUsage {
  readonly policy: 'hour' | 'month' | 'discover_day'
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
  readonly tier: string
  readonly policies: readonly PolicyUsage[]
  /** Newest day first; days without use are absent. */
  readonly days: readonly DayUsage[]
}
