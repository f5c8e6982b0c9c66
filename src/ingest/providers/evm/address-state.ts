import { type EvmAddress, parseEvmAddress } from '../../../core/identifiers.js'
import type { AddressState } from '../../../domains/onchain/model.js'
import type { ChainHead } from './chain-head.js'

/** Code of an account that delegates to a contract: 0xef0100 and the address (EIP-7702). */
const DELEGATION = /^0xef0100([0-9a-f]{40})$/

/** The state of an address at a block, as a node states it. */
export interface StatedAddress {
  readonly balance: bigint
  readonly nonce: number
  /** Lower-case hexadecimal with 0x; `0x` alone means no code. */
  readonly code: string
}

/** Parses the state of an address of a chain. */
export function toAddressState(
  { balance, nonce, code }: StatedAddress,
  { chainId, address }: { readonly chainId: number; readonly address: EvmAddress },
  head: ChainHead,
): AddressState {
  const [, delegate] = DELEGATION.exec(code) ?? []
  const delegatedTo = delegate === undefined ? null : parseEvmAddress(`0x${delegate}`)
  return {
    chainId,
    address,
    balanceWei: balance.toString(),
    transactionCount: nonce,
    isContract: code !== '0x' && delegatedTo === null,
    delegatedTo,
    blockNumber: Number(head.block),
    observedAt: head.time,
  }
}
