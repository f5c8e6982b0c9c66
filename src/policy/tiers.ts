/** The tiers in rising order; a higher tier holds everything a lower one does. */
export const TIERS = ['free', 'starter', 'growth', 'pro', 'enterprise'] as const

export type Tier = (typeof TIERS)[number]

/** Position in the rising order, 0 for free. */
export function tierRank(tier: Tier): number {
  return TIERS.indexOf(tier)
}

export function isTier(text: string): text is Tier {
  return (TIERS as readonly string[]).includes(text)
}

/** The tier of an account as it is stored. */
export function storedTier(text: string): Tier {
  return text as Tier // one of TIERS by a constraint of the table
}
