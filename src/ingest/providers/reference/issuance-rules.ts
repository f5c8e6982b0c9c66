import { withoutTrailing } from '../../../core/without-trailing.js'
/** A coin with a fixed subsidy per block that halves after a fixed number of blocks. */
export interface IssuanceRule {
  readonly slug: string
  readonly name: string
  /** Units per block before the first halving. */
  readonly subsidy: number
  readonly halvingBlocks: number
  /** Seconds between blocks that the difficulty aims at. */
  readonly spacingSeconds: number
  /** A block with a known time, from which heights are estimated. */
  readonly checkpoint: { readonly height: number; readonly time: Date }
}

/** All three count in hundred-millionths, and halve by dropping the last bit, as Bitcoin does. */
const UNITS_PER_COIN = 100_000_000n

/**
 * The rules of the reference implementations: `GetBlockSubsidy` of Bitcoin Core, Litecoin Core and Bitcoin Cash
 * Node. Not included are coins whose rule does not give the existing units: Ravencoin (a bug created units in
 * 2020), Monero and Ethereum Classic (blocks differ), Decred (missed votes), and every coin that burns fees.
 */
export const ISSUANCE_RULES: readonly IssuanceRule[] = [
  {
    slug: 'bitcoin',
    name: 'Bitcoin',
    subsidy: 50,
    halvingBlocks: 210_000,
    spacingSeconds: 600,
    checkpoint: { height: 840_000, time: new Date('2024-04-20T00:09:27Z') },
  },
  {
    slug: 'bitcoin-cash',
    name: 'Bitcoin Cash',
    subsidy: 50,
    halvingBlocks: 210_000,
    spacingSeconds: 600,
    // The parent of the anchor block of its difficulty rule (aserti3-2d), which keeps the chain on this schedule.
    checkpoint: { height: 661_646, time: new Date('2020-11-15T13:44:04Z') },
  },
  {
    slug: 'litecoin',
    name: 'Litecoin',
    subsidy: 50,
    halvingBlocks: 840_000,
    spacingSeconds: 150,
    checkpoint: { height: 2_520_000, time: new Date('2023-08-02T15:06:00Z') },
  },
]

/** Units issued by that many blocks, the first one included, as decimal text. Every subsidy counts as claimed. */
export function issuedBy(rule: IssuanceRule, blocks: number): string {
  let left = BigInt(Math.max(0, Math.floor(blocks)))
  let subsidy = BigInt(rule.subsidy) * UNITS_PER_COIN
  let units = 0n
  while (left > 0n && subsidy > 0n) {
    const era = left < BigInt(rule.halvingBlocks) ? left : BigInt(rule.halvingBlocks)
    units += era * subsidy
    left -= era
    subsidy /= 2n
  }
  const fraction = withoutTrailing(String(units % UNITS_PER_COIN).padStart(8, '0'), '0')
  return `${units / UNITS_PER_COIN}${fraction === '' ? '' : `.${fraction}`}`
}

/** The estimated height at that instant, if blocks since the checkpoint came at the intended interval. */
export function estimatedHeight({ checkpoint, spacingSeconds }: IssuanceRule, at: Date): number {
  const seconds = (at.getTime() - checkpoint.time.getTime()) / 1000
  return Math.max(0, checkpoint.height + Math.floor(seconds / spacingSeconds))
}
