import { ApiError } from '../core/errors.js'
import { formatCount } from '../core/format-count.js'
import { endOfDay, endOfHour, endOfMonth, startOfDay, startOfHour, startOfMonth } from '../core/time.js'
import { DEMO_QUOTAS, DISCOVER_PER_DAY_FREE, quotasOf } from './limits.js'
import { type Caller, visitorNetworks } from './principal.js'
import type { Tier } from './tiers.js'

export type PolicyName = 'hour' | 'key_hour' | 'month' | DemoPolicyName | 'discover_day'

/** Windows that a visitor with the demo key shares with others. */
export type DemoPolicyName = 'demo_network_hour' | 'demo_provider_hour' | 'demo_hour'

/** One limit of one caller in the window that holds the present instant. */
export interface QuotaPolicy {
  readonly name: PolicyName
  /** Units that can be charged in the window. */
  readonly quota: number
  readonly windowStart: Date
  /** Start of the next window; not part of this one. */
  readonly windowEnd: Date
  readonly windowSeconds: number
  /** Names meter, policy and window: a new window is a new counter, so nothing is ever reset. */
  readonly counterKey: string
}

/** A policy and the units used so far. */
export interface QuotaStatus {
  readonly policy: QuotaPolicy
  readonly used: number
}

/**
 * The policies of a call, shortest window first, discover's window last. `discover` adds the day window for the free tier
 * only; `metered` has the hour and the month, and a key for addresses also its own hour. The demo key has three kinds of hours: of
 * the visitor, of each network of the visitor, and of all visitors.
 */
export function policiesOf(caller: Caller, cost: 'metered' | 'discover', now: Date): readonly QuotaPolicy[] {
  const policies = caller.isDemo ? demoPolicies(caller, now) : tierPolicies(caller, now)
  if (cost === 'discover' && caller.tier === 'free') {
    const end = endOfDay(now)
    policies.push(policy(caller.meterId, 'discover_day', DISCOVER_PER_DAY_FREE, startOfDay(now), end))
  }
  return policies
}

function tierPolicies({ tier, contract, meterId, keyId, urlUse }: Caller, now: Date): QuotaPolicy[] {
  const quotas = quotasOf(tier, contract)
  const [start, end] = [startOfHour(now), endOfHour(now)]
  return [
    policy(meterId, 'hour', quotas.hour, start, end),
    ...(urlUse === undefined ? [] : [policy(keyId ?? meterId, 'key_hour', urlUse.hourlyUnits, start, end)]),
    policy(meterId, 'month', quotas.month, startOfMonth(now), endOfMonth(now)),
  ]
}

/** Hours only: a counter per address is forgotten soon, so that many addresses cannot fill the store of the counters. */
function demoPolicies(caller: Caller, now: Date): QuotaPolicy[] {
  const [start, end] = [startOfHour(now), endOfHour(now)]
  const [provider, network] = visitorNetworks(caller)
  return [
    policy(caller.meterId, 'hour', DEMO_QUOTAS.addressHour, start, end),
    policy(network, 'demo_network_hour', DEMO_QUOTAS.networkHour, start, end),
    policy(provider, 'demo_provider_hour', DEMO_QUOTAS.providerHour, start, end),
    policy(caller.accountId, 'demo_hour', DEMO_QUOTAS.hour, start, end),
  ]
}

/** Length of the part of a start instant's ISO text that identifies its window. */
const WINDOW_ID_LENGTH: Readonly<Record<PolicyName, number>> = {
  hour: 13,
  key_hour: 13,
  month: 7,
  demo_network_hour: 13,
  demo_provider_hour: 13,
  demo_hour: 13,
  discover_day: 10,
}

function policy(meterId: string, name: PolicyName, quota: number, start: Date, end: Date): QuotaPolicy {
  return {
    name,
    quota,
    windowStart: start,
    windowEnd: end,
    windowSeconds: (end.getTime() - start.getTime()) / 1000,
    counterKey: `${meterId}:${name}:${start.toISOString().slice(0, WINDOW_ID_LENGTH[name])}`,
  }
}

const MONTH_KEY = /^(.+):month:(\d{4}-\d{2})$/

/** The meter and month of a counter key; null if the key is not one of a month. */
export function monthOfCounter(key: string): { readonly meterId: string; readonly month: string } | null {
  const [, meterId, month] = MONTH_KEY.exec(key) ?? []
  return meterId === undefined || month === undefined ? null : { meterId, month }
}

/** Units left, never below 0: a quota may be lowered below what was used. */
export function remainingUnits(status: QuotaStatus): number {
  return Math.max(0, status.policy.quota - status.used)
}

/** The window with the least left; of equals, the one that resets last. Null for no statuses. */
export function tightestOf(statuses: readonly QuotaStatus[]): QuotaStatus | null {
  let tightest: QuotaStatus | null = null
  for (const status of statuses) {
    if (tightest === null || isTighter(status, tightest)) tightest = status
  }
  return tightest
}

/** Units left in the tightest window; 0 for no statuses. */
export function unitsLeft(statuses: readonly QuotaStatus[]): number {
  const tightest = tightestOf(statuses)
  return tightest === null ? 0 : remainingUnits(tightest)
}

function isTighter(a: QuotaStatus, b: QuotaStatus): boolean {
  const difference = remainingUnits(a) - remainingUnits(b)
  return difference === 0 ? a.policy.windowEnd.getTime() > b.policy.windowEnd.getTime() : difference < 0
}

/** The state of a window before a call, and the price of the call. */
export interface PricedQuotaStatus extends QuotaStatus {
  readonly units: number
}

/**
 * Epoch second from which a refused call fits again: the end of the last refusing window. Null when no window
 * refuses, and also when the call costs more than a whole window holds, which no waiting helps.
 */
export function retryAfter(statuses: readonly PricedQuotaStatus[]): number | null {
  const refusing = statuses.filter(refuses)
  if (refusing.length === 0 || refusing.some(({ policy, units }) => units > policy.quota)) return null
  return Math.max(...refusing.map(({ policy }) => epochSeconds(policy.windowEnd)))
}

/** Whole seconds from now to an instant, rounded up, at least 0; the value of a Retry-After header. */
export function secondsUntil(instant: Date, now: Date): number {
  return Math.max(0, Math.ceil((instant.getTime() - now.getTime()) / 1000))
}

/** The 429 of a refused call. It names each refusing policy and when a retry fits. */
export function quotaExceeded(tier: Tier, statuses: readonly PricedQuotaStatus[]): ApiError {
  const reasons = statuses.filter(refuses).map(reasonOf)
  const retry = retryAfter(statuses)
  return new ApiError('rate_limit_exceeded', {
    message: `${reasons.join('. ')}${retry === null ? '' : `; try again at ${timeText(retry)}`}. Your tier is ${tier}.`,
    upgrade: tier !== 'enterprise',
    ...(retry === null ? {} : { retryAfter: retry }),
  })
}

/** What becomes of a stream whose next event does not fit. */
export interface StreamStop {
  /** What the client is told. */
  readonly error: ApiError
  /** When the stream goes on by itself; null: it ends. */
  readonly resumesAt: Date | null
}

/** A stream pauses while the hour is spent; it ends where the month is, or an event costs more than an hour holds. */
export function stopOfStream(tier: Tier, statuses: readonly PricedQuotaStatus[]): StreamStop {
  const refusing = statuses.filter(refuses)
  const [first] = refusing
  const isPause = refusing.length === 1 && first?.policy.name === 'hour' && first.units <= first.policy.quota
  const reasons = `${refusing.map(reasonOf).join('. ')}.`
  const retry = retryAfter(statuses)
  const message = isPause
    ? `${reasons} The subscription pauses and continues by itself at ${first.policy.windowEnd.toISOString()}; nothing is lost.`
    : `${reasons} The subscription ends; open it again with the cursor of its last event${retry === null ? '' : ` from ${new Date(retry * 1000).toISOString()} on`}.`
  const error = new ApiError('rate_limit_exceeded', {
    message,
    upgrade: tier !== 'enterprise',
    graphqlCode: 'RATE_LIMITED',
    ...(retry === null ? {} : { retryAfter: retry }),
  })
  return { error, resumesAt: isPause ? first.policy.windowEnd : null }
}

const LIMIT_TEXT: Readonly<Record<PolicyName, string>> = {
  hour: 'hourly limit',
  key_hour: 'hourly limit of this key',
  month: 'monthly limit',
  demo_network_hour: 'hourly limit of your network with the demo key',
  demo_provider_hour: 'hourly limit of your network provider with the demo key',
  demo_hour: 'hourly limit of all visitors with the demo key',
  discover_day: 'daily limit of discover',
}

/** A sentence without its full stop. */
function reasonOf(status: PricedQuotaStatus): string {
  const { policy, units } = status
  const [limit, left] = [LIMIT_TEXT[policy.name], remainingUnits(status)]
  if (units > policy.quota)
    return `This costs ${formatCount(units, 'unit')}, more than the ${limit} of ${policy.quota}`
  if (left > 0)
    return `This costs ${formatCount(units, 'unit')}, and ${left} of the ${limit} of ${policy.quota} are left`
  return `${limit.charAt(0).toUpperCase()}${limit.slice(1)} of ${formatCount(policy.quota, 'unit')} reached`
}

/** `10:00 UTC`; midnight with its date. */
function timeText(epochSecond: number): string {
  const [date = '', time = ''] = new Date(epochSecond * 1000).toISOString().split('T')
  return time.startsWith('00:00') ? `${date} 00:00 UTC` : `${time.slice(0, 5)} UTC`
}

function refuses(status: PricedQuotaStatus): boolean {
  return status.used + status.units > status.policy.quota
}

function epochSeconds(instant: Date): number {
  return Math.ceil(instant.getTime() / 1000)
}
