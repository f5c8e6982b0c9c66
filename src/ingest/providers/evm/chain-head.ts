import { BrokenBody } from '../../feed.js'

/** A node that is further behind the chain does not count as current. */
const MAX_BEHIND_MS = 3_600_000

/** Tolerance between the clocks of chain and gateway. */
const MAX_AHEAD_MS = 300_000

/** The block for all reads of one request. */
export interface ChainHead {
  readonly block: bigint
  readonly time: Date
}

/** The chain of a node, and its newest block. */
export interface StatedHead {
  readonly chainId: number
  readonly number: bigint
  /** Seconds since 1970. */
  readonly timestamp: bigint
}

/** The newest block of the chain. Throws BrokenBody for a node of another chain, and for one that is behind. */
export function toChainHead(
  { chainId: stated, number, timestamp }: StatedHead,
  chainId: number,
  now: Date,
): ChainHead {
  if (stated !== chainId) throw new BrokenBody(`the node belongs to chain ${stated}, not ${chainId}`)
  const time = new Date(Number(timestamp) * 1000)
  const behindMs = now.getTime() - time.getTime()
  if (!(behindMs <= MAX_BEHIND_MS && behindMs >= -MAX_AHEAD_MS)) {
    const shown = Number.isNaN(behindMs) ? 'no known time' : time.toISOString()
    throw new BrokenBody(
      `the newest block of the node has the time ${shown}, so the node is not in step with the chain`,
    )
  }
  return { block: number, time }
}
