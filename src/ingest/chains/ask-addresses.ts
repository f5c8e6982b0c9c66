import type { RpcUrls } from '../../config/rpc-urls.js'
import type { EvmAddress } from '../../core/identifiers.js'
import {
  type AddressReading,
  type AddressState,
  CHAIN_BUDGET_MS,
  CHAINS,
  ChainDown,
  type ChainReader,
} from '../../domains/onchain/model.js'
import { askContractNames, type NamesDependencies } from './ask-contract-names.js'
import { atFirstNode } from './ask-nodes.js'
import type { NodeClient } from './node-client.js'

/** Three calls per address; public nodes refuse larger batches. */
const ADDRESSES_PER_BATCH = 6

/** The code of a contract has up to 24 KB (EIP-170), twice that in hexadecimal. */
const MAX_BYTES = 2 * 1024 * 1024

/** If a node is slower, time remains for the next one. */
const BATCH_MS = 2_000

/** The largest share of the budget for names after the state is known, because a caller waits. */
const NAMES_MS = 2_000

export interface ChainReaderOptions extends NamesDependencies {
  readonly rpcUrls: RpcUrls
  /** Time for a request, names included. */
  readonly budgetMs?: number
  /** Time for one batch of calls to one node. */
  readonly batchMs?: number
  /** Time for all names. */
  readonly namesMs?: number
}

/** For runs that no caller waits for. */
export const RETRYING = { budgetMs: 120_000, batchMs: 15_000, namesMs: 60_000 } as const

/** Reads addresses over JSON-RPC at the nodes that the operator names; see `ChainReader` for its promises. */
export function createChainReader(options: ChainReaderOptions): ChainReader {
  const { rpcUrls, budgetMs = CHAIN_BUDGET_MS, namesMs = NAMES_MS } = options
  const served = CHAINS.map(({ chainId }) => chainId).filter((chainId) => rpcUrls.has(chainId))
  return {
    chainIds: new Set(served),
    read: async (chainId, addresses, now) => {
      const endsAt = performance.now() + budgetMs
      const states = await readStates(options, { chainId, addresses, now, endsAt })
      const namesEndAt = Math.min(endsAt, performance.now() + namesMs)
      const contracts = states.filter(({ isContract }) => isContract)
      const names = await askContractNames(options, contracts, () => leftUntil(namesEndAt))
      return states.map(
        (state): AddressReading => ({ ...state, contractName: names.get(state.address) ?? null }),
      )
    },
  }
}

interface StatesQuestion {
  readonly chainId: number
  readonly addresses: readonly EvmAddress[]
  readonly now: Date
  /** By the clock of `performance.now()`. */
  readonly endsAt: number
}

async function readStates(
  { http, rpcUrls, batchMs = BATCH_MS }: ChainReaderOptions,
  question: StatesQuestion,
): Promise<readonly AddressState[]> {
  const { chainId, endsAt } = question
  const urls = rpcUrls.get(chainId) ?? []
  const limits = {
    timeoutMs: () => Math.min(batchMs, leftUntil(endsAt)),
    retries: 0,
    maxBytes: MAX_BYTES,
  }
  const { answer, failures, wasAsked } = await atFirstNode(http, { chainId, urls, ...limits }, (node) =>
    askStates(question, node),
  )
  if (answer !== null) return answer
  const reasons = failures.map(({ position, reason }) => `${position}: ${reason}`)
  const message = reasons.length === 0 ? `no node of chain ${chainId} is configured` : reasons.join('; ')
  throw new ChainDown(message, { wasAsked })
}

async function askStates(
  { addresses, now }: StatesQuestion,
  node: NodeClient,
): Promise<readonly AddressState[]> {
  const head = await node.head(now)
  const states: AddressState[] = []
  for (let start = 0; start < addresses.length; start += ADDRESSES_PER_BATCH) {
    const batch = addresses.slice(start, start + ADDRESSES_PER_BATCH)
    states.push(...(await Promise.all(batch.map((address) => node.state(address, head)))))
  }
  return states
}

/** The time left, in whole milliseconds. */
function leftUntil(endsAt: number): number {
  return Math.floor(endsAt - performance.now())
}
