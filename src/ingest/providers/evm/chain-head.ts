import { z } from 'zod'
import { BrokenBody } from '../../feed.js'
import { Quantity, type RpcAnswer, type RpcCall, resultOf } from './json-rpc.js'

/** A node that is further behind the chain is not asked for figures of now. */
const MAX_BEHIND_MS = 3_600_000

/** Clocks of chain and gateway may differ by this much. */
const MAX_AHEAD_MS = 300_000

/** The block at which everything that is asked together is read. */
export interface ChainHead {
  /** Hexadecimal with 0x, as JSON-RPC writes it. */
  readonly block: string
  readonly time: Date
}

const Block = z.object({ number: Quantity, timestamp: Quantity })

/** Which chain, and its newest block. */
export const HEAD_CALLS: readonly RpcCall[] = [
  { method: 'eth_chainId', params: [] },
  { method: 'eth_getBlockByNumber', params: ['latest', false] },
]

/** The newest block of the chain. Throws BrokenBody for a node of another chain, or one that is behind. */
export function parseHead([chain, head]: readonly RpcAnswer[], chainId: number, now: Date): ChainHead {
  const id = Quantity.safeParse(resultOf(chain, 'eth_chainId'))
  if (!id.success) throw new BrokenBody('eth_chainId did not answer with a number')
  if (Number(id.data) !== chainId)
    throw new BrokenBody(`the node is of chain ${Number(id.data)}, not ${chainId}`)
  const block = Block.safeParse(resultOf(head, 'eth_getBlockByNumber'))
  if (!block.success) throw new BrokenBody('eth_getBlockByNumber did not answer with a block')
  const time = new Date(Number(block.data.timestamp) * 1000)
  const behindMs = now.getTime() - time.getTime()
  if (!(behindMs <= MAX_BEHIND_MS && behindMs >= -MAX_AHEAD_MS)) {
    const shown = Number.isNaN(behindMs) ? 'no known time' : time.toISOString()
    throw new BrokenBody(`the newest block of the node is of ${shown}: it is not in step with the chain`)
  }
  return { block: block.data.number, time }
}
