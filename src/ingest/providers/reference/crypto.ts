import { buildSymbols } from '../../../core/consensus/venue-symbols.js'
import type { InstrumentFacts } from '../../../domains/instruments/model.js'
import { contractOf } from './contracts.js'

type CryptoRow = readonly [assetId: number, slug: string, ticker: string, name: string, figi: string | null]

const TIER_1: readonly CryptoRow[] = [
  [1, 'bitcoin', 'BTC', 'Bitcoin', 'KKG000000M81'],
  [2, 'ethereum', 'ETH', 'Ethereum', null],
  [3, 'bnb', 'BNB', 'BNB', null],
  [4, 'solana', 'SOL', 'Solana', null],
  [5, 'xrp', 'XRP', 'XRP', null],
  [6, 'tether', 'USDT', 'Tether', null],
  [7, 'usdc', 'USDC', 'USDC', null],
  [8, 'dogecoin', 'DOGE', 'Dogecoin', null],
  [9, 'tron', 'TRX', 'TRON', null],
  [10, 'cardano', 'ADA', 'Cardano', null],
  [11, 'avalanche', 'AVAX', 'Avalanche', null],
  [12, 'chainlink', 'LINK', 'Chainlink', null],
  [13, 'stellar', 'XLM', 'Stellar', null],
  [14, 'hedera', 'HBAR', 'Hedera', null],
  [15, 'sui', 'SUI', 'Sui', null],
  [16, 'bitcoin-cash', 'BCH', 'Bitcoin Cash', null],
  [17, 'litecoin', 'LTC', 'Litecoin', null],
  [18, 'polkadot', 'DOT', 'Polkadot', null],
  [19, 'uniswap', 'UNI', 'Uniswap', null],
  [20, 'monero', 'XMR', 'Monero', null],
]

const TIER_2: readonly CryptoRow[] = [
  [21, 'aave', 'AAVE', 'Aave', null],
  [22, 'near-protocol', 'NEAR', 'NEAR Protocol', null],
  [23, 'cosmos', 'ATOM', 'Cosmos', null],
  [24, 'algorand', 'ALGO', 'Algorand', null],
  [25, 'filecoin', 'FIL', 'Filecoin', null],
  [26, 'vechain', 'VET', 'VeChain', null],
  [27, 'arbitrum', 'ARB', 'Arbitrum', null],
  [28, 'optimism', 'OP', 'Optimism', null],
  [29, 'aptos', 'APT', 'Aptos', null],
  [30, 'internet-computer', 'ICP', 'Internet Computer', null],
  [31, 'ethereum-classic', 'ETC', 'Ethereum Classic', null],
  [32, 'the-graph', 'GRT', 'The Graph', null],
  [33, 'injective', 'INJ', 'Injective', null],
  [34, 'polygon', 'POL', 'Polygon', null],
  [35, 'quant', 'QNT', 'Quant', null],
  [36, 'tezos', 'XTZ', 'Tezos', null],
  [37, 'render', 'RENDER', 'Render', null],
  [38, 'curve-dao', 'CRV', 'Curve DAO', null],
  [39, 'lido-dao', 'LDO', 'Lido DAO', null],
  [40, 'celestia', 'TIA', 'Celestia', null],
]

const TIER_3: readonly CryptoRow[] = [
  [41, 'zilliqa', 'ZIL', 'Zilliqa', null],
  [42, 'ravencoin', 'RVN', 'Ravencoin', null],
  [43, 'basic-attention-token', 'BAT', 'Basic Attention Token', null],
  [44, 'enjin-coin', 'ENJ', 'Enjin Coin', null],
  [45, 'loopring', 'LRC', 'Loopring', null],
  [46, 'ankr', 'ANKR', 'Ankr', null],
  [47, 'sushiswap', 'SUSHI', 'SushiSwap', null],
  [48, 'yearn-finance', 'YFI', 'yearn.finance', null],
  [49, 'kusama', 'KSM', 'Kusama', null],
  [50, 'storj', 'STORJ', 'Storj', null],
  [51, 'band-protocol', 'BAND', 'Band Protocol', null],
  [52, 'kava', 'KAVA', 'Kava', null],
  [53, 'decred', 'DCR', 'Decred', null],
  [54, 'siacoin', 'SC', 'Siacoin', null],
  [55, 'digibyte', 'DGB', 'DigiByte', null],
  [56, 'ontology', 'ONT', 'Ontology', null],
  [57, 'celo', 'CELO', 'Celo', null],
  [58, 'nano', 'XNO', 'Nano', null],
  [59, 'livepeer', 'LPT', 'Livepeer', null],
  [60, 'uma', 'UMA', 'UMA', null],
]

function toInstrument(tier: 1 | 2 | 3, [assetId, slug, ticker, name, figi]: CryptoRow): InstrumentFacts {
  return {
    assetId,
    slug,
    ticker,
    name,
    assetClass: 'crypto',
    tier,
    mic: null,
    isin: null,
    figi,
    currency: 'USD',
    sectorGics: null,
    cik: null,
    contract: contractOf(slug),
    lei: null,
    symbols: buildSymbols(ticker),
  }
}

/** The 60 crypto assets, 20 per tier. */
export const CRYPTO_ASSETS: readonly InstrumentFacts[] = [
  ...TIER_1.map((row) => toInstrument(1, row)),
  ...TIER_2.map((row) => toInstrument(2, row)),
  ...TIER_3.map((row) => toInstrument(3, row)),
]
