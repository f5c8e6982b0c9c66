import DataLoader from 'dataloader'
import type { EvmAddress } from '../../core/identifiers.js'
import type { SupplyRow } from '../../domains/market/model.js'
import type { AddressState } from '../../domains/onchain/model.js'
import type { Parsed } from '../feed.js'
import { toAddressState } from '../providers/evm/address-state.js'
import { type ChainHead, toChainHead } from '../providers/evm/chain-head.js'
import type { RpcAnswer, RpcCall } from '../providers/evm/json-rpc.js'
import { CallRefused, checkedResult } from '../providers/evm/results.js'
import { type Counted, type CountedToken, toTokenSupply } from '../providers/evm/total-supply.js'

/** Sends a batch of calls to one node. */
export type AskNode = (calls: readonly RpcCall[]) => Promise<readonly RpcAnswer[]>

/**
 * A client of one node. Calls that are made at the same time become one batch. Throws like `AskNode`, and
 * BrokenBody without a usable answer.
 */
export interface NodeClient {
  /** The newest block. */
  head(now: Date): Promise<ChainHead>
  /** The state of an address at a block. */
  state(address: EvmAddress, head: ChainHead): Promise<AddressState>
  /** The supply of a token at a block, or why its contract does not state it. */
  supply(token: CountedToken, head: ChainHead): Promise<Parsed<SupplyRow>>
}

/** The first four bytes of keccak256 of `totalSupply()` and `decimals()` of ERC-20. */
const TOTAL_SUPPLY = '0x18160ddd'
const DECIMALS = '0x313ce567'

/** Calls made at the same time go to `ask` together. */
export function openNodeClient(chainId: number, ask: AskNode): NodeClient {
  const calls = new DataLoader<RpcCall, unknown, RpcCall>(
    async (batch) => {
      const answers = await ask(batch)
      return batch.map(({ method }, at) => resultOrError(method, answers[at]))
    },
    { cache: false },
  )
  const quantity = async (method: string, ...params: readonly unknown[]) =>
    BigInt(String(await calls.load({ method, params })))
  const count = (selector: string, { contract }: CountedToken, { block }: ChainHead) =>
    orRefusal(quantity('eth_call', { to: contract.address, data: selector }, hexOf(block)))
  return {
    head: async (now) => {
      const [id, block] = await Promise.all([
        quantity('eth_chainId'),
        calls.load({ method: 'eth_getBlockByNumber', params: ['latest', false] }),
      ])
      const { number, timestamp } = block as StatedBlock // the type is checked together with its method
      return toChainHead(
        { chainId: Number(id), number: BigInt(number), timestamp: BigInt(timestamp) },
        chainId,
        now,
      )
    },
    state: async (address, head) => {
      const at = [address, hexOf(head.block)]
      const [balance, nonce, code] = await Promise.all([
        quantity('eth_getBalance', ...at),
        quantity('eth_getTransactionCount', ...at),
        calls.load({ method: 'eth_getCode', params: at }),
      ])
      return toAddressState({ balance, nonce: Number(nonce), code: String(code) }, { chainId, address }, head)
    },
    supply: async (token, head) => {
      const [total, decimals] = await Promise.all([
        count(TOTAL_SUPPLY, token, head),
        count(DECIMALS, token, head),
      ])
      return toTokenSupply(token, { total, decimals }, head)
    },
  }
}

/** The members of a block that are used, as hexadecimal. */
interface StatedBlock {
  readonly number: string
  readonly timestamp: string
}

function hexOf(value: bigint): string {
  return `0x${value.toString(16)}`
}

/** A bad answer fails its own call only. */
function resultOrError(method: string, answer: RpcAnswer | undefined): unknown {
  try {
    return checkedResult(method, answer)
  } catch (error) {
    return error
  }
}

async function orRefusal(value: Promise<bigint>): Promise<Counted> {
  try {
    return { value: await value }
  } catch (error) {
    if (error instanceof CallRefused) return { wrong: error.message }
    throw error
  }
}
