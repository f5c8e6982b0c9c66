/** What kind of thing an asset is, technically; nothing follows from it about what anyone should think of it. */
export interface TokenFacts {
  /** native_coin pays the fees of its own network; token is issued on a network; stablecoin follows a currency. */
  readonly kind: 'native_coin' | 'token' | 'stablecoin'
  /** How a native coin's network agrees on blocks; null: neither of the two, both, or not recorded. */
  readonly validation: 'proof_of_work' | 'proof_of_stake' | null
}

const PROOF_OF_WORK = [
  'bitcoin',
  'dogecoin',
  'bitcoin-cash',
  'litecoin',
  'monero',
  'ethereum-classic',
  'ravencoin',
  'siacoin',
  'digibyte',
]

const PROOF_OF_STAKE = [
  'ethereum',
  'bnb',
  'solana',
  'tron',
  'cardano',
  'avalanche',
  'hedera',
  'sui',
  'polkadot',
  'near-protocol',
  'cosmos',
  'algorand',
  'aptos',
  'injective',
  'polygon',
  'tezos',
  'celestia',
  'kusama',
  'band-protocol',
  'kava',
]

/** Consensus by other means, by both, or changed so recently that it is left open. */
const OTHER_COINS = [
  'xrp',
  'stellar',
  'filecoin',
  'vechain',
  'internet-computer',
  'zilliqa',
  'enjin-coin',
  'decred',
  'ontology',
  'celo',
  'nano',
]

const TOKENS = [
  'chainlink',
  'uniswap',
  'aave',
  'arbitrum',
  'optimism',
  'the-graph',
  'quant',
  'render',
  'curve-dao',
  'lido-dao',
  'basic-attention-token',
  'loopring',
  'ankr',
  'sushiswap',
  'yearn-finance',
  'storj',
  'livepeer',
  'uma',
]

const STABLECOINS = ['tether', 'usdc']

/** From the networks' own documentation. */
const FACTS: ReadonlyMap<string, TokenFacts> = new Map([
  ...each(PROOF_OF_WORK, { kind: 'native_coin', validation: 'proof_of_work' }),
  ...each(PROOF_OF_STAKE, { kind: 'native_coin', validation: 'proof_of_stake' }),
  ...each(OTHER_COINS, { kind: 'native_coin', validation: null }),
  ...each(TOKENS, { kind: 'token', validation: null }),
  ...each(STABLECOINS, { kind: 'stablecoin', validation: null }),
])

function each(slugs: readonly string[], facts: TokenFacts): readonly (readonly [string, TokenFacts])[] {
  return slugs.map((slug) => [slug, facts])
}

/** The facts of a crypto asset by slug; null: not recorded. */
export function tokenFactsOf(slug: string): TokenFacts | null {
  return FACTS.get(slug) ?? null
}
