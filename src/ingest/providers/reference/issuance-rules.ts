/** A coin whose units come into being by a fixed subsidy per block that is halved every so many blocks. */
export interface IssuanceRule {
  readonly slug: string
  readonly name: string
  /** Units of the first blocks' subsidy. */
  readonly subsidy: number
  readonly halvingBlocks: number
  /** Seconds from block to block that the difficulty is steered to. */
  readonly spacingSeconds: number
  /** A block whose time is published: heights are estimated from it on. */
  readonly checkpoint: { readonly height: number; readonly time: Date }
}

/** All three count in hundred millionths, and halve by dropping the last bit, as Bitcoin does. */
const UNITS_PER_COIN = 100_000_000n

/**
 * The rules are those of the reference implementations: `GetBlockSubsidy` of Bitcoin Core, Litecoin Core and Bitcoin Cash
 * Node. Left out are coins whose rule does not give what exists: Ravencoin (units were made by a fault in 2020), Monero
 * and Ethereum Classic (blocks differ), Decred (missed votes), and every coin that burns fees.
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
    // The parent of the anchor block of its difficulty rule (aserti3-2d), which keeps the chain to this schedule.
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

/** Units issued by that many blocks, the first one included, as decimal text. Counts every subsidy as claimed. */
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
  const fraction = String(units % UNITS_PER_COIN)
    .padStart(8, '0')
    .replace(/0+$/, '')
  return `${units / UNITS_PER_COIN}${fraction === '' ? '' : `.${fraction}`}`
}

/** The newest block's height at that instant, were blocks as far apart since the checkpoint as they are steered to. */
export function estimatedHeight({ checkpoint, spacingSeconds }: IssuanceRule, at: Date): number {
  const seconds = (at.getTime() - checkpoint.time.getTime()) / 1000
  return Math.max(0, checkpoint.height + Math.floor(seconds / spacingSeconds))
}
