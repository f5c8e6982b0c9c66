import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { IndexedAsset } from '../../../../src/domains/assets/index-store.js'
import { findNamedAssets, indexAssetNames } from '../../../../src/domains/assets/search/named-assets.js'
import { samplePath } from '../../../support/samples.js'

type Row = readonly [ticker: string, name: string, assetClass?: IndexedAsset['asset_class'], slug?: string]

const assetsOf = (rows: readonly Row[]): readonly IndexedAsset[] =>
  rows.map(([ticker, name, assetClass = 'stock', slug = ticker.toLowerCase()], at) => ({
    ...{ asset_id: at, slug, ticker, name, asset_class: assetClass, tier: null, mic: null },
    ...{ is_active: true, is_confirmed: true },
  }))

const ROWS: readonly Row[] = [
  ['XAU', 'Gold', 'commodity', 'gold'],
  ['BTC', 'Bitcoin', 'crypto', 'bitcoin'],
  ['BCH', 'Bitcoin Cash', 'crypto', 'bitcoin-cash'],
  ['AMZN', 'AMAZON COM INC', 'stock', 'amazon-com-inc'],
  ['PG', 'PROCTER & GAMBLE Co'],
  ['MCD', "McDonald's Corp /DE/"],
  ['TROW', 'PRICE T ROWE GROUP INC'],
  ['GFI', 'GOLD FIELDS LTD'],
  ['OPEN', 'Opendoor Technologies Inc.'],
  ['AI', 'C3.ai, Inc.'],
  ['BAC', 'BANK OF AMERICA CORP /DE/'],
  ['DIS', 'Walt Disney Co', 'stock', 'walt-disney-co'],
  ['VOO', 'Vanguard S&P 500 ETF', 'etf'],
]

const names = indexAssetNames(assetsOf(ROWS))
const slugsIn = (question: string, from = names) =>
  findNamedAssets(from, question, null).map(({ assetId }) => from.assets[assetId]?.slug)

describe('the assets that a question names', () => {
  it.each([
    ['market cap of Amazon', ['amazon-com-inc']],
    ['price of gold', ['gold', 'gfi']],
    ['Bitcoin cash or bitcoin?', ['bitcoin-cash', 'bitcoin']],
    ["McDonald's dividends", ['mcd']],
    ['Procter and Gamble, last year', ['pg']],
    ['fee of the Vanguard S&P 500 fund', ['voo']],
    ['what did amzn close at', ['amazon-com-inc']],
    ['price of OPEN', ['open']],
    ['Where is Disney going', ['walt-disney-co']],
    ['PRICE OF GOLD', ['gold', 'gfi']],
  ])('of "%s" are %j', (question, slugs) => {
    expect(slugsIn(question)).toEqual(slugs)
  })

  it.each([
    'is the exchange open today',
    'AI opinions',
    'base rate of the Bank of Korea',
    'the price of all shares',
    '...',
  ])('are none where "%s" has only words of finance', (question) => {
    expect(slugsIn(question)).toEqual([])
  })

  it('are of one class where the search asks for it', () => {
    expect(findNamedAssets(names, 'gold', 'stock').map(({ assetId }) => ROWS[assetId]?.[0])).toEqual(['GFI'])
  })

  const path = samplePath('sec/company_tickers.json')
  it.skipIf(path === null).each([
    ['market cap of Amazon', 'amzn'],
    ['What is Tesla worth?', 'tsla'],
    ["Apple's revenue last year", 'aapl'],
    ['dividend history of Coca-Cola', 'ko'],
    ['net income of JPMorgan Chase', 'jpm'],
    ['Is Bank of America halal?', 'bac'],
    ['show me the share price of Berkshire Hathaway', 'brk-b'],
    ['How did NVDA do this week?', 'nvda'],
    ['target price of Netflix', 'nflx'],
    ['split of Alphabet', 'googl'],
    ['price of gold', 'gold'],
    ['current price of bitcoin', 'bitcoin'],
    ['Is Johnson & Johnson on a sanctions list', 'jnj'],
    ['How much debt does AT&T have?', 't'],
    ["What is 3M's debt ratio", 'mmm'],
  ])('of "%s" are found among 10,000 companies of the SEC', (question, slug) => {
    const listed: Record<string, { ticker: string; title: string }> = JSON.parse(
      readFileSync(path ?? '', 'utf8'),
    )
    const stocks = Object.values(listed).map(({ ticker, title }): Row => [ticker, title])
    const every = indexAssetNames(assetsOf([...ROWS.slice(0, 3), ...stocks]))
    expect(slugsIn(question, every).slice(0, 3)).toContain(slug)
  })
})
