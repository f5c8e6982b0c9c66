import { describe, expect, it } from 'vitest'
import { headlineRule } from '../../../src/domains/news/headline-model.js'
import { CRYPTO_ASSETS } from '../../../src/ingest/providers/reference/assets.js'
import { cpuGrowth, MOST_GROWTH } from '../../support/cpu-growth.js'

const find = headlineRule(CRYPTO_ASSETS)
const slugs = new Map(CRYPTO_ASSETS.map(({ assetId, slug }) => [assetId, slug]))

/** As `slug by match`, in the order of slugs. */
function tiesOf(title: string): readonly string[] {
  return find(title)
    .map(({ assetId, matchedBy }) => `${slugs.get(assetId)} by ${matchedBy}`)
    .sort()
}

describe('the rule that finds assets in headlines', () => {
  it.each([
    // A name that means nothing else counts in any case, as whole words.
    ['Why bitcoin fell again', ['bitcoin by name']],
    ['BITCOIN AND SOLANA RALLY', ['bitcoin by name', 'solana by name']],
    ['Bitcoin’s miners and Ethereum-based funds', ['bitcoin by name', 'ethereum by name']],
    ['Bitcoiners meet in Prague', []],
    ['Yearn.finance and yearn finance', ['yearn-finance by name']],
    // The longest name counts.
    ['Ethereum Classic forks', ['ethereum-classic by name']],
    ['Ethereum and Ethereum Classic', ['ethereum by name', 'ethereum-classic by name']],
    ['Bitcoin Cash turns nine', ['bitcoin-cash by name']],
    ['Firm grows its bitcoin cash pile', ['bitcoin by name']],
    // Tickers count as words in capitals.
    ['BTC/USD breaks out while ETH waits', ['bitcoin by ticker', 'ethereum by ticker']],
    ['btc and eth', []],
    ['#XLM and XLMX', ['stellar by ticker']],
    ['XRP ruling', ['xrp by name']],
    // Those that are ordinary words, or shorter than three letters, need a dollar sign.
    ['LINK in bio: NEAR you, DOT by DOT', []],
    ['THE BAND AND THE BAT RENDER ONE ATOM', []],
    [
      '$LINK and $NEAR jump, $OP too',
      ['chainlink by ticker', 'near-protocol by ticker', 'optimism by ticker'],
    ],
    ['OP and SC', []],
    ['DOGE cuts jobs in Washington', []],
    ['$DOGE and Dogecoin', ['dogecoin by name']],
    ['US$LINK and $LINKS', []],
    // Names that are ordinary words count as they are written, or beside a word that says what they are.
    ['Astronauts tether themselves; Tether mints', ['tether by name']],
    ['astronauts on a tether', []],
    ['Optimism Returns to Crypto Markets', []],
    ['Optimism token unlock nears', ['optimism by name']],
    ['Optimism (OP) gains', ['optimism by name']],
    ['Avalanche kills five in the Alps', []],
    ['Avalanche’s validators vote', ['avalanche by name']],
    ['Funds add stablecoin Tether and token Render', ['render by name', 'tether by name']],
    ['Cosmos, the series, returns', []],
    ['The cosmos blockchain', []],
    ['Cosmos blockchain upgrade', ['cosmos by name']],
    ['The Graph That Explains Bitcoin', ['bitcoin by name']],
    ['NEAR Protocol near its high', ['near-protocol by name']],
    ['Uma Thurman buys art', []],
    // In a headline in capitals the writing says nothing.
    ['TETHER STRAPS RECALLED', []],
    ['TETHER STABLECOIN UNDER SCRUTINY', ['tether by name']],
    // A name and its ticker are one mention.
    ['Polygon (POL) and $POL', ['polygon by name']],
    ['', []],
  ])('%s', (title, ties) => {
    expect(tiesOf(title)).toEqual(ties)
  })

  it('finds nothing by a name that two assets share', () => {
    const twins = [
      { assetId: 1, ticker: 'AAA', name: 'Alpha Coin' },
      { assetId: 2, ticker: 'AAA', name: 'Alpha Chain' },
    ]
    expect(headlineRule(twins)('AAA, $AAA and Alpha Chain')).toEqual([{ assetId: 2, matchedBy: 'name' }])
  })

  it('treats names as texts, not as patterns, and works without assets', () => {
    const odd = headlineRule([{ assetId: 7, ticker: 'C++', name: 'A.(B)+[C]/D-E' }])
    expect(odd('Axe(B)+[C]/D-E')).toEqual([])
    expect(headlineRule([])('Bitcoin $BTC')).toEqual([])
  })

  it('reads a long hostile title in linear time', async () => {
    const read = (length: number) => find(`${'$'.repeat(length)}${'Optimism '.repeat(length)}`)
    expect(await cpuGrowth(4_000, read)).toBeLessThan(MOST_GROWTH)
  })
})
