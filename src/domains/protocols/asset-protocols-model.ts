/**
 * By slug of the asset, the protocols and chains whose fees count for it. The table is maintained by hand, because a token and
 * a protocol with the same name may be unrelated. Each version of a protocol is a separate entry.
 */
export const ASSET_PROTOCOLS: Readonly<Record<string, readonly string[]>> = {
  bitcoin: ['bitcoin'],
  ethereum: ['ethereum'],
  bnb: ['bsc'],
  solana: ['solana'],
  dogecoin: ['dogecoin'],
  tron: ['tron'],
  cardano: ['cardano'],
  avalanche: ['avalanche'],
  sui: ['sui'],
  litecoin: ['litecoin'],
  uniswap: ['uniswap-v1', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4'],
  aave: ['aave-v1', 'aave-v2', 'aave-v3'],
  algorand: ['algorand'],
  arbitrum: ['arbitrum'],
  aptos: ['aptos'],
  polygon: ['polygon'],
  tezos: ['tezos'],
  'curve-dao': ['curve-dex'],
  'lido-dao': ['lido'],
  sushiswap: ['sushiswap', 'sushiswap-v3'],
  'yearn-finance': ['yearn-finance'],
}
