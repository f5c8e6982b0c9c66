import { ecbPublication, nextTargetDay } from './calendars/target.js'
import { DAY_MS, HOUR_MS, toIsoDate } from './time.js'

export type FreshnessStatus = 'fresh' | 'stale' | 'expired'

/** Refresh intervals of the API contract; the interval of forex varies, see `refreshIntervalMs`. */
const REFRESH_MS = {
  tier_1: HOUR_MS,
  tier_2: 6 * HOUR_MS,
  tier_3: 12 * HOUR_MS,
  bis: 100 * DAY_MS,
  monthly: 35 * DAY_MS,
  daily: DAY_MS,
  etf: DAY_MS,
  screening: DAY_MS,
  onchain: DAY_MS,
  // A FIGI is permanent; the name and ticker beside it may change.
  identifier: 30 * DAY_MS,
} as const

export type FreshnessKind = keyof typeof REFRESH_MS | 'forex'

/** Up to this many intervals old, data is stale; beyond, expired. */
const STALE_INTERVALS = 3

export interface DataFreshness {
  /** Whole seconds since the observation, never negative. */
  readonly data_freshness_seconds: number
  readonly last_updated_at: Date
  readonly next_refresh_at: Date
  readonly freshness_status: FreshnessStatus
  /** The first instant with another status, until which a cached answer is valid. Null when expired. */
  readonly changesAt: Date | null
}

/** The kind of an asset or instrument by its tier; without one it counts as tier 3. */
export function freshnessKindOfTier(tier: number | null): FreshnessKind {
  if (tier === 1) return 'tier_1'
  return tier === 2 ? 'tier_2' : 'tier_3'
}

/**
 * Milliseconds from an observation to its next refresh. For forex the observation is the publication of the
 * newest rates, and the interval runs to 16:00 Frankfurt of the next TARGET day after its UTC date.
 */
export function refreshIntervalMs(kind: FreshnessKind, observedAt: Date): number {
  if (kind !== 'forex') return REFRESH_MS[kind]
  return ecbPublication(nextTargetDay(toIsoDate(observedAt))).getTime() - observedAt.getTime()
}

/**
 * Fresh while the age is at most the interval, stale at most three intervals, then expired.
 * An observation in the future (clocks differ) has age 0.
 */
export function computeFreshness(kind: FreshnessKind, observedAt: Date, now: Date): DataFreshness {
  const observedMs = observedAt.getTime()
  const intervalMs = refreshIntervalMs(kind, observedAt)
  const ageMs = Math.max(0, now.getTime() - observedMs)
  const status = freshnessStatusOf(ageMs, intervalMs)
  const lastAgeMs = status === 'fresh' ? intervalMs : STALE_INTERVALS * intervalMs
  return {
    data_freshness_seconds: Math.floor(ageMs / 1000),
    last_updated_at: observedAt,
    next_refresh_at: new Date(observedMs + intervalMs),
    freshness_status: status,
    // The bounds belong to the fresher status, so the change is one millisecond later.
    changesAt: status === 'expired' ? null : new Date(observedMs + lastAgeMs + 1),
  }
}

function freshnessStatusOf(ageMs: number, intervalMs: number): FreshnessStatus {
  if (ageMs <= intervalMs) return 'fresh'
  return ageMs <= STALE_INTERVALS * intervalMs ? 'stale' : 'expired'
}
