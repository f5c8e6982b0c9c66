import { z } from 'zod'
import ROWS from './token-profiles.json' with { type: 'json' }

/** The technical kind of a crypto asset. It implies no judgement. */
export interface TokenProfile {
  /** native_coin pays the fees of its own network; token is issued on a network; stablecoin follows a currency. */
  readonly kind: 'native_coin' | 'token' | 'stablecoin'
  /** How the network of a native coin reaches consensus; null if by neither of the two, by both, or unknown. */
  readonly validation: 'proof_of_work' | 'proof_of_stake' | null
}

const Row = z.strictObject({
  slug: z.string(),
  kind: z.enum(['native_coin', 'token', 'stablecoin']),
  validation: z.enum(['proof_of_work', 'proof_of_stake']).nullable(),
})

/** From the documentation of the networks. */
const PROFILES: ReadonlyMap<string, TokenProfile> = new Map(
  z
    .array(Row)
    .parse(ROWS)
    .map(({ slug, ...profile }) => [slug, profile]),
)

/** The facts of a crypto asset by slug; null if unknown. */
export function tokenProfileOf(slug: string): TokenProfile | null {
  return PROFILES.get(slug) ?? null
}
