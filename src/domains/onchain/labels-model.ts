import { evmAddress } from '../../core/identifiers.js'
import { type AddressKey, CHAINS } from './model.js'

const ETHEREUM = 1
const OPTIMISM = 10
const BSC = 56
const POLYGON = 137
const BASE = 8_453
const ARBITRUM = 42_161

/** Labels that are the same on every chain: conventional addresses, and contracts whose address does not depend on the chain. */
// biome-ignore format: one row a line
const ON_ALL_CHAINS: readonly (readonly [address: string, label: string])[] = [
  ['0x0000000000000000000000000000000000000000', 'Zero address'],
  ['0x000000000000000000000000000000000000dEaD', 'Burn address'],
  ['0xcA11bde05977b3631167028862bE2a173976CA11', 'Multicall3'],
  ['0x000000000022D473030F116dDEE9F6B43aC78BA3', 'Uniswap: Permit2'],
  ['0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789', 'ERC-4337: EntryPoint v0.6'],
  ['0x0000000071727De22E5E9d8BAf0edAc6f37da032', 'ERC-4337: EntryPoint v0.7'],
]

/** Addresses published by their projects, in EIP-55 form, which a test checks. Uncertain addresses are not listed. */
// biome-ignore format: one row a line
const ON_ONE_CHAIN: readonly (readonly [chainId: number, address: string, label: string])[] = [
  [ETHEREUM, '0x00000000219ab540356cBB839Cbe05303d7705Fa', 'Ethereum: beacon deposit contract'],
  [ETHEREUM, '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', 'WETH token'],
  [ETHEREUM, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'USDC token'],
  [ETHEREUM, '0xdAC17F958D2ee523a2206206994597C13D831ec7', 'USDT token'],
  [ETHEREUM, '0x6B175474E89094C44Da98b954EedeAC495271d0F', 'DAI token'],
  [ETHEREUM, '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', 'WBTC token'],
  [ETHEREUM, '0x514910771AF9Ca656af840dff83E8264EcF986CA', 'LINK token'],
  [ETHEREUM, '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984', 'UNI token'],
  [ETHEREUM, '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84', 'Lido: stETH token'],
  [ETHEREUM, '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D', 'Uniswap V2: Router 02'],
  [ETHEREUM, '0xE592427A0AEce92De3Edee1F18E0157C05861564', 'Uniswap V3: SwapRouter'],
  [ETHEREUM, '0xBA12222222228d8Ba445958a75a0704d566BF2C8', 'Balancer V2: Vault'],
  [ETHEREUM, '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045', 'vitalik.eth'],
  [BSC, '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c', 'WBNB token'],
  [BSC, '0x55d398326f99059fF775485246999027B3197955', 'Binance-Peg USDT token'],
  [BSC, '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 'Binance-Peg USDC token'],
  [BSC, '0x0E09FaBB73Bd3Ade0a17ECC321fD13a19e81cE82', 'CAKE token'],
  [BSC, '0x10ED43C718714eb63d5aA57B78B54704E256024E', 'PancakeSwap V2: Router'],
  [POLYGON, '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270', 'WPOL token'],
  [POLYGON, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 'USDC token'],
  [POLYGON, '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174', 'USDC.e token (bridged)'],
  [POLYGON, '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 'USDT token'],
  [POLYGON, '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619', 'WETH token (bridged)'],
  [POLYGON, '0xE592427A0AEce92De3Edee1F18E0157C05861564', 'Uniswap V3: SwapRouter'],
  [POLYGON, '0xBA12222222228d8Ba445958a75a0704d566BF2C8', 'Balancer V2: Vault'],
  [ARBITRUM, '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', 'WETH token'],
  [ARBITRUM, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 'USDC token'],
  [ARBITRUM, '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8', 'USDC.e token (bridged)'],
  [ARBITRUM, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', 'USDT token'],
  [ARBITRUM, '0x912CE59144191C1204E64559FE8253a0e49E6548', 'ARB token'],
  [ARBITRUM, '0xE592427A0AEce92De3Edee1F18E0157C05861564', 'Uniswap V3: SwapRouter'],
  [ARBITRUM, '0xBA12222222228d8Ba445958a75a0704d566BF2C8', 'Balancer V2: Vault'],
  [OPTIMISM, '0x4200000000000000000000000000000000000006', 'WETH token'],
  [OPTIMISM, '0x4200000000000000000000000000000000000010', 'OP Stack: L2StandardBridge'],
  [OPTIMISM, '0x4200000000000000000000000000000000000016', 'OP Stack: L2ToL1MessagePasser'],
  [OPTIMISM, '0x4200000000000000000000000000000000000042', 'OP token'],
  [OPTIMISM, '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', 'USDC token'],
  [OPTIMISM, '0x7F5c764cBc14f9669B88837ca1490cCa17c31607', 'USDC.e token (bridged)'],
  [OPTIMISM, '0xE592427A0AEce92De3Edee1F18E0157C05861564', 'Uniswap V3: SwapRouter'],
  [OPTIMISM, '0xBA12222222228d8Ba445958a75a0704d566BF2C8', 'Balancer V2: Vault'],
  [BASE, '0x4200000000000000000000000000000000000006', 'WETH token'],
  [BASE, '0x4200000000000000000000000000000000000010', 'OP Stack: L2StandardBridge'],
  [BASE, '0x4200000000000000000000000000000000000016', 'OP Stack: L2ToL1MessagePasser'],
  [BASE, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 'USDC token'],
  [BASE, '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA', 'USDbC token (bridged)'],
  [BASE, '0x2Ae3F1Ec7F1F5012CFEab0185bfc7aa3cf0DEc22', 'cbETH token'],
  [BASE, '0xBA12222222228d8Ba445958a75a0704d566BF2C8', 'Balancer V2: Vault'],
]

/** An address of the catalogue. */
export interface LabelledAddress extends AddressKey {
  readonly label: string
}

/** The catalogue, sorted by chain. */
export const LABELLED_ADDRESSES: readonly LabelledAddress[] = CHAINS.flatMap(({ chainId }) => {
  const own = ON_ONE_CHAIN.filter(([chain]) => chain === chainId)
  const pairs = [...own.map(([, address, label]) => [address, label] as const), ...ON_ALL_CHAINS]
  return pairs.map(([address, label]) => ({ chainId, address: evmAddress(address), label }))
})

const LABELS: ReadonlyMap<string, string> = new Map(
  LABELLED_ADDRESSES.map(({ chainId, address, label }) => [`${chainId} ${address}`, label]),
)

/** The label of an address, or null if it is not in the catalogue. */
export function addressLabel({ chainId, address }: AddressKey): string | null {
  return LABELS.get(`${chainId} ${address}`) ?? null
}
