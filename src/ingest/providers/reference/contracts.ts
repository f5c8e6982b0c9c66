import type { TokenContract } from '../../../domains/instruments/model.js'

const ETHEREUM = 1
const OPTIMISM = 10
const ARBITRUM = 42_161

/**
 * Tokens whose units all exist on one contract; copies on other chains are backed by units that are locked there.
 * Not included are tokens that are issued on several chains (Tether, USDC), that moved to another chain (Render,
 * Enjin Coin) or that are the coin of their own chain. Addresses in EIP-55 form; a test checks them.
 */
// biome-ignore format: one row a line
const CONTRACTS: readonly (readonly [slug: string, chainId: number, address: string])[] = [
  ['chainlink', ETHEREUM, '0x514910771AF9Ca656af840dff83E8264EcF986CA'],
  ['uniswap', ETHEREUM, '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984'],
  ['aave', ETHEREUM, '0x7Fc66500c84A76Ad7e9c93437bFc5Ac33E2DDaE9'],
  ['arbitrum', ARBITRUM, '0x912CE59144191C1204E64559FE8253a0e49E6548'],
  ['optimism', OPTIMISM, '0x4200000000000000000000000000000000000042'],
  ['polygon', ETHEREUM, '0x455e53CBB86018Ac2B8092FdCd39d8444aFFC3F6'],
  ['curve-dao', ETHEREUM, '0xD533a949740bb3306d119CC777fa900bA034cd52'],
  ['lido-dao', ETHEREUM, '0x5A98FcBEA516Cf06857215779Fd812CA3beF1B32'],
  ['basic-attention-token', ETHEREUM, '0x0D8775F648430679A709E98d2b0Cb6250d2887EF'],
  ['loopring', ETHEREUM, '0xBBbbCA6A901c926F240b89EacB641d8Aec7AEafD'],
  ['ankr', ETHEREUM, '0x8290333ceF9e6D528dD5618Fb97a76f268f3EDD4'],
  ['sushiswap', ETHEREUM, '0x6B3595068778DD592e39A122f4f5a5cF09C90fE2'],
  ['yearn-finance', ETHEREUM, '0x0bc529c00C6401aEF6D220BE8C6Ea1667F6Ad93e'],
  ['storj', ETHEREUM, '0xB64ef51C888972c908CFacf59B47C1AfBC0Ab8aC'],
  ['uma', ETHEREUM, '0x04Fa0d235C4abf4BcF4787aF4CF447DE572eF828'],
]

const BY_SLUG: ReadonlyMap<string, TokenContract> = new Map(
  CONTRACTS.map(([slug, chainId, address]) => [slug, { chainId, address: address.toLowerCase() }]),
)

/** The addresses as written above, for the check of their capital letters. */
export const CONTRACT_ADDRESSES: readonly string[] = CONTRACTS.map(([, , address]) => address)

/** The contract of a token of the reference; null without one. */
export function contractOf(slug: string): TokenContract | null {
  return BY_SLUG.get(slug) ?? null
}
