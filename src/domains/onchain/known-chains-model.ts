import CHAINS from './known-chains.json' with { type: 'json' }

/** A blockchain of the reference data. */
export interface KnownChain {
  /** Unique lower-case name. The name at DefiLlama if it has the chain. */
  readonly slug: string
  readonly name: string
  /** Ticker of the coin in which fees are paid. */
  readonly nativeSymbol: string
  /** EIP-155 chain id. Null if the chain runs no Ethereum virtual machine. */
  readonly evmChainId: number | null
  /** The chain on which it settles. Null if it is not a layer 2. */
  readonly parentSlug: string | null
}

/**
 * The chains of the reference data. Addresses are read on only some of them. Chain ids: https://github.com/ethereum-lists/chains. A
 * layer 2 posts its state to another chain, which Polygon PoS and Gnosis do not. Avalanche means its C-Chain, BSC the BNB Smart
 * Chain. TRON's virtual machine is not Ethereum's.
 */
export const KNOWN_CHAINS: readonly KnownChain[] = CHAINS
