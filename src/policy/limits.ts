import type { Tier } from './tiers.js'

/**
 * Units per clock hour (UTC) with the demo key. A visitor who opens ten pages of the portal uses about 60. The limit of all
 * visitors together bounds what many addresses can cost. A network (IPv6 /48, IPv4 /24) has a tenth of it and a provider (/32, /16)
 * half of it, so that neither can take what the others need.
 */
export const DEMO_QUOTAS = { addressHour: 60, networkHour: 300, providerHour: 1_500, hour: 3_000 } as const

/**
 * Requests of one page of the portal cost one unit together, up to this many units in a clock hour; what exceeds them is charged
 * as elsewhere. The page with the most panels uses about 16.
 */
export const PAGE_VIEW_UNITS = 24

/** Open subscriptions with the demo key per client address, network and provider, and of all visitors together. */
export const DEMO_STREAMS = { address: 2, network: 10, provider: 50, all: 100 } as const

/** Units per calendar month and per clock hour, both UTC. */
export interface Quotas {
  readonly month: number
  readonly hour: number
}

/** Requests per calendar month and per clock hour (UTC), as published. Enterprise: see its contract. */
export const QUOTAS: Readonly<Record<Exclude<Tier, 'enterprise'>, Quotas>> = {
  free: { month: 10_000, hour: 14 },
  starter: { month: 100_000, hour: 278 },
  growth: { month: 500_000, hour: 1_389 },
  pro: { month: 5_000_000, hour: 13_889 },
}

/** An enterprise account whose contract is not entered yet has the quotas of pro. */
export const ENTERPRISE_DEFAULT: Quotas = QUOTAS.pro

/** The quotas that bind a caller: its contract's for enterprise, else the published ones of its tier. */
export function quotasOf(tier: Tier, contract: Quotas | null): Quotas {
  return tier === 'enterprise' ? (contract ?? ENTERPRISE_DEFAULT) : QUOTAS[tier]
}

/** `discover` on the free tier, per UTC day; other tiers have only the hourly limit. */
export const DISCOVER_PER_DAY_FREE = 50

/** A nested edge that has its own REST route costs 1 per this many parents. */
export const PARENTS_PER_UNIT = 20

/** Each further block of this many rows per parent costs the same. */
export const ROWS_PER_UNIT = 500

/** A file of a release costs 1 per this many bytes. Sending it costs the gateway much less than as many rows. */
export const FILE_BYTES_PER_UNIT = 10_000_000

/** `candles` of many assets cost 1 per this many candles. */
export const CANDLE_ROWS_PER_UNIT = 2_000

/** A page of a macro series costs 1 per this many rows that it may have. */
export const MACRO_ROWS_PER_UNIT = 1_000

/** Requests per minute and key, and per minute and address; this also limits requests that are free of charge. */
export const BURST_PER_MINUTE = 600

/** Candles of windows that start earlier need the scope history:full. */
export const CANDLE_HISTORY_DAYS = 365

/** Snapshots of analyses that are older need the scope history:full. */
export const ANALYSIS_HISTORY_DAYS = 90
