/** The technical kind of a crypto asset. It implies no judgement. */
export interface TokenProfile {
  /** native_coin pays the fees of its own network; token is issued on a network; stablecoin follows a currency. */
  readonly kind: 'native_coin' | 'token' | 'stablecoin'
  /** How the network of a native coin reaches consensus; null if by neither of the two, by both, or unknown. */
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

/** Consensus by other means, by both, or changed recently. */
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

/** From the documentation of the networks. */
const FACTS: ReadonlyMap<string, TokenProfile> = new Map([
  ...each(PROOF_OF_WORK, { kind: 'native_coin', validation: 'proof_of_work' }),
  ...each(PROOF_OF_STAKE, { kind: 'native_coin', validation: 'proof_of_stake' }),
  ...each(OTHER_COINS, { kind: 'native_coin', validation: null }),
  ...each(TOKENS, { kind: 'token', validation: null }),
  ...each(STABLECOINS, { kind: 'stablecoin', validation: null }),
])

function each(slugs: readonly string[], facts: TokenProfile): readonly (readonly [string, TokenProfile])[] {
  return slugs.map((slug) => [slug, facts])
}

/** The facts of a crypto asset by slug; null if unknown. */
export function tokenProfileOf(slug: string): TokenProfile | null {
  return FACTS.get(slug) ?? null
}
