/** The synthetic market of one crypto asset, in the order of magnitude of 2025. */
export interface CryptoLevel {
  readonly slug: string
  /** USD level of the price. */
  readonly priceUsd: number
  /** Units in circulation, decimal text. */
  readonly supply: string
}

// biome-ignore format: one row a line
const LEVELS: readonly (readonly [slug: string, priceUsd: number, supply: string])[] = [
  ['bitcoin', 90_000, '19940000'],
  ['ethereum', 3_100, '120700000'],
  ['bnb', 880, '137700000'],
  ['solana', 140, '553000000'],
  ['xrp', 2.1, '60200000000'],
  ['tether', 1, '184000000000'],
  ['usdc', 1, '74000000000'],
  ['dogecoin', 0.15, '151800000000'],
  ['tron', 0.28, '94700000000'],
  ['cardano', 0.46, '35800000000'],
  ['avalanche', 14.2, '427000000'],
  ['chainlink', 13.4, '697000000'],
  ['stellar', 0.25, '32200000000'],
  ['hedera', 0.14, '42500000000'],
  ['sui', 1.6, '3680000000'],
  ['bitcoin-cash', 520, '19950000'],
  ['litecoin', 86, '76500000'],
  ['polkadot', 2.6, '1630000000'],
  ['uniswap', 6.4, '630000000'],
  ['monero', 390, '18450000'],
  ['aave', 172, '15240000'],
  ['near-protocol', 2.1, '1270000000'],
  ['cosmos', 2.7, '478000000'],
  ['algorand', 0.14, '8810000000'],
  ['filecoin', 1.7, '712000000'],
  ['vechain', 0.0145, '85980000000'],
  ['arbitrum', 0.22, '5570000000'],
  ['optimism', 0.33, '1890000000'],
  ['aptos', 2.8, '736000000'],
  ['internet-computer', 4.6, '542000000'],
  ['ethereum-classic', 14.5, '154300000'],
  ['the-graph', 0.052, '10630000000'],
  ['injective', 6.1, '100000000'],
  ['polygon', 0.14, '10530000000'],
  ['quant', 82, '14544000'],
  ['tezos', 0.51, '1066000000'],
  ['render', 1.9, '518600000'],
  ['curve-dao', 0.42, '1430000000'],
  ['lido-dao', 0.68, '894000000'],
  ['celestia', 0.63, '838000000'],
  ['zilliqa', 0.0062, '19560000000'],
  ['ravencoin', 0.0083, '15650000000'],
  ['basic-attention-token', 0.21, '1495000000'],
  ['enjin-coin', 0.034, '1894000000'],
  ['loopring', 0.06, '1246000000'],
  ['ankr', 0.0078, '10000000000'],
  ['sushiswap', 0.38, '279000000'],
  ['yearn-finance', 4_100, '33900'],
  ['kusama', 8.9, '17360000'],
  ['storj', 0.15, '143800000'],
  ['band-protocol', 0.43, '165000000'],
  ['kava', 0.11, '1082900000'],
  ['decred', 21, '17050000'],
  ['siacoin', 0.0017, '56600000000'],
  ['digibyte', 0.0066, '17900000000'],
  ['ontology', 0.067, '927000000'],
  ['celo', 0.16, '588000000'],
  ['nano', 0.76, '133248297'],
  ['livepeer', 4.3, '47800000'],
  ['uma', 0.87, '89500000'],
]

/** By slug. */
export const CRYPTO_LEVELS: ReadonlyMap<string, CryptoLevel> = new Map(
  LEVELS.map(([slug, priceUsd, supply]) => [slug, { slug, priceUsd, supply }]),
)
