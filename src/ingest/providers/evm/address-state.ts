import { type EvmAddress, parseEvmAddress } from '../../../core/identifiers.js'
import type { AddressState } from '../../../domains/onchain/model.js'
import { BrokenBody } from '../../feed.js'
import type { ChainHead } from './chain-head.js'
import { Quantity, type RpcAnswer, type RpcCall, resultOf } from './json-rpc.js'

const METHODS = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'] as const

/** Wei: up to 32 bytes. */
const WEI = /^0x(0|[1-9a-f][0-9a-f]{0,63})$/i

const CODE = /^0x(?:[0-9a-f]{2})*$/

/** Code of an account that delegates to a contract: 0xef0100 and the address (EIP-7702). */
const DELEGATION = /^0xef0100([0-9a-f]{40})$/

/** Three calls for each address, at one block. */
export function stateCalls(addresses: readonly EvmAddress[], { block }: ChainHead): readonly RpcCall[] {
  return addresses.flatMap((address) => METHODS.map((method) => ({ method, params: [address, block] })))
}

/** The state of each address, from the answers to `stateCalls`. Throws BrokenBody where one of them is none. */
export function parseStates(
  answers: readonly RpcAnswer[],
  chainId: number,
  addresses: readonly EvmAddress[],
  head: ChainHead,
): readonly AddressState[] {
  return addresses.map((address, at) => {
    const [balance, nonce, code] = METHODS.map((method, place) =>
      resultOf(answers[at * METHODS.length + place], method),
    )
    return {
      chainId,
      address,
      balanceWei: readWei(balance),
      transactionCount: readCount(nonce, 'eth_getTransactionCount'),
      ...readCode(code),
      blockNumber: readCount(head.block, 'eth_getBlockByNumber'),
      observedAt: head.time,
    }
  })
}

function readWei(result: unknown): string {
  if (typeof result === 'string' && WEI.test(result)) return BigInt(result).toString()
  throw new BrokenBody('eth_getBalance did not answer with a number of 32 bytes')
}

function readCount(result: unknown, method: string): number {
  const quantity = Quantity.safeParse(result)
  const count = quantity.success ? Number(quantity.data) : Number.NaN
  if (Number.isSafeInteger(count)) return count
  throw new BrokenBody(`${method} did not answer with a count`)
}

function readCode(result: unknown): Pick<AddressState, 'isContract' | 'delegatedTo'> {
  const code = typeof result === 'string' ? result.toLowerCase() : ''
  if (!CODE.test(code)) throw new BrokenBody('eth_getCode did not answer with code')
  const [, delegate] = DELEGATION.exec(code) ?? []
  const delegatedTo = delegate === undefined ? null : parseEvmAddress(`0x${delegate}`)
  return { isContract: code !== '0x' && delegatedTo === null, delegatedTo }
}
