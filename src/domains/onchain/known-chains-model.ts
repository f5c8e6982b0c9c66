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

type ChainRow = readonly [
  slug: string,
  name: string,
  nativeSymbol: string,
  evmChainId: number | null,
  parentSlug: string | null,
]

// Chain ids: https://github.com/ethereum-lists/chains. A layer 2 posts its state to another chain, which Polygon PoS and Gnosis
// do not. Avalanche means its C-Chain, BSC the BNB Smart Chain. TRON's virtual machine is not Ethereum's.
// biome-ignore format: one row a line
const ROWS: readonly ChainRow[] = [
  ['bitcoin', 'Bitcoin', 'BTC', null, null],
  ['ethereum', 'Ethereum', 'ETH', 1, null],
  ['bsc', 'BSC', 'BNB', 56, null],
  ['polygon', 'Polygon', 'POL', 137, null],
  ['arbitrum', 'Arbitrum', 'ETH', 42_161, 'ethereum'],
  ['optimism', 'Optimism', 'ETH', 10, 'ethereum'],
  ['base', 'Base', 'ETH', 8_453, 'ethereum'],
  ['linea', 'Linea', 'ETH', 59_144, 'ethereum'],
  ['zksync-era', 'ZKsync Era', 'ETH', 324, 'ethereum'],
  ['starknet', 'Starknet', 'STRK', null, 'ethereum'],
  ['avalanche', 'Avalanche C-Chain', 'AVAX', 43_114, null],
  ['gnosis', 'Gnosis Chain', 'xDAI', 100, null],
  ['ethereum-classic', 'Ethereum Classic', 'ETC', 61, null],
  ['solana', 'Solana', 'SOL', null, null],
  ['tron', 'TRON', 'TRX', null, null],
  ['cardano', 'Cardano', 'ADA', null, null],
  ['polkadot', 'Polkadot', 'DOT', null, null],
  ['cosmos', 'Cosmos Hub', 'ATOM', null, null],
  ['near', 'NEAR', 'NEAR', null, null],
  ['aptos', 'Aptos', 'APT', null, null],
  ['sui', 'Sui', 'SUI', null, null],
  ['algorand', 'Algorand', 'ALGO', null, null],
  ['tezos', 'Tezos', 'XTZ', null, null],
  ['ton', 'TON', 'TON', null, null],
  ['stellar', 'Stellar', 'XLM', null, null],
  ['xrp-ledger', 'XRP Ledger', 'XRP', null, null],
  ['litecoin', 'Litecoin', 'LTC', null, null],
  ['bitcoin-cash', 'Bitcoin Cash', 'BCH', null, null],
  ['dogecoin', 'Dogecoin', 'DOGE', null, null],
  ['monero', 'Monero', 'XMR', null, null],
]

/** The chains of the reference data. Addresses are read on only some of them. */
export const KNOWN_CHAINS: readonly KnownChain[] = ROWS.map(
  ([slug, name, nativeSymbol, evmChainId, parentSlug]) => ({
    slug,
    name,
    nativeSymbol,
    evmChainId,
    parentSlug,
  }),
)
