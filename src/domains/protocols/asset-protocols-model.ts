/**
 * The protocols and chains whose fees count for an asset, by its slug. A name alone decides nothing: a token and a protocol
 * of one name may have nothing to do with each other, so each is listed by hand. Versions of a protocol are entries of their own.
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
