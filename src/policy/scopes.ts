import { publishersText, shortTextOf } from '../core/providers.js'
import { TIERS, type Tier, tierRank } from './tiers.js'

/** Every scope, the lowest tier that includes it (null: by grant only) and what it gives access to. */
export const SCOPES = {
  'keys:manage': { from: 'free', opens: 'making, listing, rotating and revoking API keys' },
  'ai:read': { from: 'starter', opens: 'AI analysis: latest, history, diff, changes' },
  'ohlcv:intraday': { from: 'starter', opens: 'candles of 1h' },
  'macro:read': { from: 'starter', opens: `macro series of ${publishersText(shortTextOf)}` },
  'instruments:read': {
    from: 'starter',
    opens: 'stocks, commodities, corporate actions and their changes, dividends, newsletter preview',
  },
  'fundamentals:read': { from: 'growth', opens: 'fundamentals and AAOIFI ratios' },
  'etf:read': { from: 'growth', opens: 'ETF list, result and holdings' },
  'onchain:read': { from: 'growth', opens: 'address snapshots and on-chain metrics' },
  'screening:read': { from: 'growth', opens: 'sanctions screening' },
  'history:full': { from: 'growth', opens: 'candles older than 365 days and AI history older than 90 days' },
  'ai:lineage': { from: 'growth', opens: 'prompt hash, methodology version and data lineage of AI analyses' },
  'bulk:read': { from: 'growth', opens: 'the files of releases' },
  'star:read': { from: 'pro', opens: 'the star schema over REST, GraphQL and SQL credentials' },
  admin: { from: null, opens: 'newsletter sending and ingestion status' },
} as const satisfies Record<string, { from: Tier | null; opens: string }>

export type Scope = keyof typeof SCOPES

export const SCOPE_NAMES = Object.keys(SCOPES) as readonly Scope[]

export const MAX_SCOPE_LENGTH = Math.max(...SCOPE_NAMES.map((name) => name.length))

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text)
}

/** All scopes that a tier carries by itself; `admin` is never among them. */
export function scopesOfTier(tier: Tier): ReadonlySet<Scope> {
  return TIER_SCOPES[tier]
}

const TIER_SCOPES = Object.fromEntries(
  TIERS.map((tier) => [
    tier,
    new Set(
      SCOPE_NAMES.filter((scope) => {
        const from = SCOPES[scope].from
        return from !== null && tierRank(from) <= tierRank(tier)
      }),
    ),
  ]),
) as unknown as Readonly<Record<Tier, ReadonlySet<Scope>>> // every tier has its entry: built from TIERS
