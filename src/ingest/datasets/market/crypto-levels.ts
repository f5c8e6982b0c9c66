import LEVELS from './crypto-levels.json' with { type: 'json' }

/** The synthetic market of one crypto asset, in the order of magnitude of 2025. */
export interface CryptoLevel {
  readonly slug: string
  /** USD level of the price. */
  readonly priceUsd: number
  /** Units in circulation, decimal text. */
  readonly supply: string
}

/** By slug. */
export const CRYPTO_LEVELS: ReadonlyMap<string, CryptoLevel> = new Map(
  LEVELS.map((level) => [level.slug, level]),
)
