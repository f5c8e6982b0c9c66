import DataLoader from 'dataloader'
import type { EvmAddress } from '../../core/identifiers.js'
import type { SupplyRow } from '../../domains/market/model.js'
import type { AddressState } from '../../domains/onchain/model.js'
import { UpstreamError } from '../../platform/http-client/upstream-error.js'
import { loadViem, type ViemModule } from '../../platform/viem.js'
import { BrokenBody, type Parsed } from '../feed.js'
import { addressStateOf } from '../providers/evm/address-state.js'
import { type ChainHead, headOf } from '../providers/evm/chain-head.js'
import type { RpcAnswer, RpcCall } from '../providers/evm/json-rpc.js'
import { CallRefused, checkedResult } from '../providers/evm/results.js'
import {
  COUNTING_ABI,
  type Counted,
  type CountedToken,
  tokenSupplyOf,
} from '../providers/evm/total-supply.js'

/** Puts a batch of calls to one node. */
export type AskNode = (calls: readonly RpcCall[]) => Promise<readonly RpcAnswer[]>

/** One node of a chain. What is asked at once is one batch. Throws as `AskNode`, and BrokenBody for no usable answer. */
export interface NodeClient {
  /** The newest block. */
  head(now: Date): Promise<ChainHead>
  /** The state of an address at a block. */
  state(address: EvmAddress, head: ChainHead): Promise<AddressState>
  /** The supply of a token at a block, or why its contract gives none. */
  supply(token: CountedToken, head: ChainHead): Promise<Parsed<SupplyRow>>
}

/** A client of viem over `ask`, through which alone it reaches the node: no limit of the HTTP client is lost. */
export async function openNodeClient(chainId: number, ask: AskNode): Promise<NodeClient> {
  const viem = await loadViem()
  const client = createClient(viem, chainId, ask)
  const counted = (name: string, { contract }: CountedToken, { block: blockNumber }: ChainHead) => {
    const address = contract.address as `0x${string}` // verified where the masters are written
    return viem.readContract(client, { abi: COUNTING_ABI, functionName: name, address, blockNumber })
  }
  return {
    head: (now) =>
      unwrapped(async () => {
        const [id, block] = await Promise.all([viem.getChainId(client), viem.getBlock(client)])
        return headOf({ chainId: id, number: block.number ?? 0n, timestamp: block.timestamp }, chainId, now)
      }),
    state: (address, head) =>
      unwrapped(async () => {
        const at = { address: address as EvmAddress & `0x${string}`, blockNumber: head.block } // as every EvmAddress
        const [balance, nonce, code] = await Promise.all([
          viem.getBalance(client, at),
          viem.getTransactionCount(client, at),
          viem.getCode(client, at),
        ])
        return addressStateOf({ balance, nonce, code }, { chainId, address }, head)
      }),
    supply: async (token, head) => {
      const [total, decimals] = await Promise.all([
        orRefusal(unwrapped(() => counted('totalSupply', token, head))),
        orRefusal(unwrapped(() => counted('decimals', token, head))),
      ])
      return tokenSupplyOf(token, { total, decimals }, head)
    },
  }
}

function createClient(viem: ViemModule, chainId: number, ask: AskNode) {
  const calls = new DataLoader<RpcCall, unknown, RpcCall>(
    async (batch) => {
      const answers = await ask(batch)
      return batch.map(({ method }, at) => resultOrError(method, answers[at]))
    },
    { cache: false },
  )
  const request = ({
    method,
    params = [],
  }: {
    readonly method: string
    readonly params?: readonly unknown[]
  }) => calls.load({ method, params })
  return viem.createClient({
    ...{ chain: chainOf(viem, chainId), cacheTime: 0 },
    // A contract may name addresses to be fetched (EIP-3668): none ever is.
    ccipRead: false,
    // The HTTP client retries, and another node is next.
    transport: viem.custom({ request }, { retryCount: 0 }),
  })
}

function chainOf({ mainnet, bsc, polygon, arbitrum, optimism, base }: ViemModule, chainId: number) {
  return [mainnet, bsc, polygon, arbitrum, optimism, base].find(({ id }) => id === chainId)
}

/** One bad answer is that of one call. */
function resultOrError(method: string, answer: RpcAnswer | undefined): unknown {
  try {
    return checkedResult(method, answer)
  } catch (error) {
    return error
  }
}

/** Errors as they came from the node, without those that viem puts around them. */
async function unwrapped<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    throw ownIn(error) ?? error
  }
}

function ownIn(error: unknown): BrokenBody | UpstreamError | null {
  for (let inner = error; inner instanceof Error; inner = inner.cause)
    if (inner instanceof BrokenBody || inner instanceof UpstreamError) return inner
  return null
}

async function orRefusal(value: Promise<unknown>): Promise<Counted> {
  try {
    return { value: BigInt(String(await value)) }
  } catch (error) {
    if (error instanceof CallRefused) return { wrong: error.message }
    throw error
  }
}
