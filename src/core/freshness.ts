import { calendarByCode } from './calendars/calendars.js'
import { ecbPublication, nextTargetDay } from './calendars/target.js'
import { covers, nextSessionDay } from './calendars/trading-calendar.js'
import { addDays, DAY_MS, endOfDay, HOUR_MS, toIsoDate } from './time.js'

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
  // Values of a period that has ended: they may be revised, but newer ones are not expected.
  closed: Number.POSITIVE_INFINITY,
} as const

/** Daily prices of a market, by its code (ISO 10383). */
type SessionKind = `sessions of ${string}`

/** The kinds whose values are refreshed. */
export type RefreshedKind = Exclude<keyof typeof REFRESH_MS, 'closed'> | 'forex' | SessionKind

export type FreshnessKind = RefreshedKind | 'closed'

/** The kind with that name in a table of data. Throws for an unknown name. */
export function toRefreshedKind(name: string): RefreshedKind {
  const kind = (Object.keys(REFRESH_MS) as (keyof typeof REFRESH_MS)[]).find((known) => known === name)
  if (kind === undefined || kind === 'closed') throw new Error(`${name} is not a kind of refreshed data`)
  return kind
}

/** Up to this many intervals old, data is stale; beyond, expired. */
const STALE_INTERVALS = 3

export interface DataFreshness {
  /** Whole seconds since the observation, never negative. */
  readonly data_freshness_seconds: number
  readonly last_updated_at: Date
  /** Null if no newer data is expected. */
  readonly next_refresh_at: Date | null
  readonly freshness_status: FreshnessStatus
  /** The first instant with another status, until which a cached answer is valid. Null when it stays. */
  readonly changesAt: Date | null
}

export interface RefreshedFreshness extends DataFreshness {
  readonly next_refresh_at: Date
}

/** The kind of an asset or instrument by its tier; without one it counts as tier 3. */
export function freshnessKindOfTier(tier: number | null): RefreshedKind {
  if (tier === 1) return 'tier_1'
  return tier === 2 ? 'tier_2' : 'tier_3'
}

/**
 * Milliseconds from an observation to its next refresh; Infinity for closed data. For forex the observation is the publication of the
 * newest rates, and the interval runs to 16:00 Frankfurt of the next TARGET day after its UTC date. For daily prices of a
 * market it runs to the end of the next session.
 */
export function refreshIntervalMs(kind: FreshnessKind, observedAt: Date): number {
  if (kind === 'forex')
    return ecbPublication(nextTargetDay(toIsoDate(observedAt))).getTime() - observedAt.getTime()
  return isSessionKind(kind) ? sessionIntervalMs(kind, observedAt) : REFRESH_MS[kind]
}

/** The kind of the daily prices of a market. One without a calendar counts as daily. */
export function freshnessKindOfMarket(mic: string | null): RefreshedKind {
  return mic === null || calendarByCode(mic) === undefined ? 'daily' : `sessions of ${mic}`
}

function isSessionKind(kind: FreshnessKind): kind is SessionKind {
  return kind.startsWith('sessions of ')
}

/**
 * Prices of a day are observed at its end (UTC), so the next ones are due at the end of the next session: a weekend or holiday
 * does not make them stale. Days that the calendar does not cover count as sessions.
 */
function sessionIntervalMs(kind: SessionKind, observedAt: Date): number {
  const calendar = calendarByCode(kind.slice('sessions of '.length))
  const day = toIsoDate(observedAt)
  if (calendar === undefined || !covers(calendar, day)) return DAY_MS
  const next = nextSessionDay(calendar, addDays(day, -1))
  return endOfDay(new Date(next)).getTime() - observedAt.getTime()
}

/**
 * Fresh while the age is at most the interval, stale at most three intervals, then expired.
 * An observation in the future (clocks differ) has age 0. Closed data stays fresh at any age, and nothing newer is due.
 */
export function computeFreshness(kind: RefreshedKind, observedAt: Date, now: Date): RefreshedFreshness
export function computeFreshness(kind: FreshnessKind, observedAt: Date, now: Date): DataFreshness
export function computeFreshness(kind: FreshnessKind, observedAt: Date, now: Date): DataFreshness {
  const observedMs = observedAt.getTime()
  const intervalMs = refreshIntervalMs(kind, observedAt)
  const ageMs = Math.max(0, now.getTime() - observedMs)
  const status = freshnessStatusOf(ageMs, intervalMs)
  const lastAgeMs = status === 'fresh' ? intervalMs : STALE_INTERVALS * intervalMs
  return {
    data_freshness_seconds: Math.floor(ageMs / 1000),
    last_updated_at: observedAt,
    next_refresh_at: Number.isFinite(intervalMs) ? new Date(observedMs + intervalMs) : null,
    freshness_status: status,
    // The bounds belong to the fresher status, so the change is one millisecond later.
    changesAt:
      status === 'expired' || !Number.isFinite(lastAgeMs) ? null : new Date(observedMs + lastAgeMs + 1),
  }
}

function freshnessStatusOf(ageMs: number, intervalMs: number): FreshnessStatus {
  if (ageMs <= intervalMs) return 'fresh'
  return ageMs <= STALE_INTERVALS * intervalMs ? 'stale' : 'expired'
}
