import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { VENUES } from '../../../../src/core/consensus/venue-symbols.js'
import {
  explainEvmAddress,
  parseCik,
  parseFigi,
  parseIsin,
  parseLei,
  parseMic,
  parseSlug,
  parseTicker,
} from '../../../../src/core/identifiers.js'
import {
  COMMODITIES,
  CRYPTO_ASSETS,
  ETFS,
  STOCKS,
} from '../../../../src/ingest/providers/reference/assets.js'
import { CURRENCIES, MARKETS_OF_REFERENCE } from '../../../../src/ingest/providers/reference/codes.js'
import CONTRACTS from '../../../../src/ingest/providers/reference/contracts.json' with { type: 'json' }
import { samplePath } from '../../../support/samples.js'

const CONTRACT_ADDRESSES = CONTRACTS.map(({ address }) => address)
const ALL = [...CRYPTO_ASSETS, ...STOCKS, ...ETFS, ...COMMODITIES]

function range(first: number, length: number): number[] {
  return Array.from({ length }, (_, index) => first + index)
}

describe('reference contracts', () => {
  it('are unique addresses whose capital letters match (EIP-55)', () => {
    expect(CONTRACT_ADDRESSES.map(explainEvmAddress).filter((fault) => fault !== null)).toEqual([])
    expect(new Set(CONTRACT_ADDRESSES).size).toBe(15)
  })

  it('belong to crypto assets on the six chains that the gateway knows', () => {
    const held = ALL.flatMap(({ slug, assetClass, contract }) =>
      contract === null ? [] : [{ slug, assetClass, ...contract }],
    )
    expect(held).toHaveLength(15)
    expect(new Set(held.map(({ assetClass }) => assetClass))).toEqual(new Set(['crypto']))
    expect(held.filter(({ chainId }) => chainId !== 1).map(({ slug, chainId }) => [slug, chainId])).toEqual([
      ['arbitrum', 42_161],
      ['optimism', 10],
    ])
    expect(held.find(({ slug }) => slug === 'chainlink')?.address).toBe(
      '0x514910771af9ca656af840dff83e8264ecf986ca',
    )
  })
})

describe('reference instruments', () => {
  it('hold 60 crypto assets, 60 stocks on 8 markets, 20 ETFs and 8 commodities, numbered without gaps by class', () => {
    expect(CRYPTO_ASSETS.map((row) => row.assetId)).toEqual(range(1, 60))
    expect(STOCKS.map((row) => row.assetId)).toEqual(range(1001, 60))
    expect(new Set(STOCKS.map((row) => row.mic)).size).toBe(8)
    expect(ETFS.map((row) => row.assetId)).toEqual(range(2001, 20))
    expect(COMMODITIES.map((row) => row.assetId)).toEqual(range(3001, 8))
  })

  it('state the class of their file', () => {
    expect(CRYPTO_ASSETS.every((row) => row.assetClass === 'crypto')).toBe(true)
    expect(STOCKS.every((row) => row.assetClass === 'stock')).toBe(true)
    expect(ETFS.every((row) => row.assetClass === 'etf')).toBe(true)
    expect(COMMODITIES.every((row) => row.assetClass === 'commodity')).toBe(true)
  })

  it('have 20 crypto assets in each tier, and no tier elsewhere', () => {
    const inTier = (tier: number) => ALL.filter((row) => row.tier === tier).map((row) => row.assetClass)
    for (const tier of [1, 2, 3]) expect(inTier(tier)).toEqual(Array.from({ length: 20 }, () => 'crypto'))
  })

  it('begin with bitcoin and ethereum', () => {
    expect(CRYPTO_ASSETS.slice(0, 2).map(({ assetId, slug, ticker }) => [assetId, slug, ticker])).toEqual([
      [1, 'bitcoin', 'BTC'],
      [2, 'ethereum', 'ETH'],
    ])
  })

  it('have unique ids, slugs, ISINs, FIGIs and pairs of ticker and market', () => {
    const columns: readonly (readonly (string | number)[])[] = [
      ALL.map((row) => row.assetId),
      ALL.map((row) => row.slug),
      ALL.map((row) => `${row.ticker} ${row.mic}`),
      ALL.map((row) => row.isin).filter((isin) => isin !== null),
      ALL.map((row) => row.figi).filter((figi) => figi !== null),
      ALL.map((row) => row.lei).filter((lei) => lei !== null),
    ]
    for (const column of columns) expect(new Set(column).size).toBe(column.length)
  })

  it.each([
    ['isin', parseIsin],
    ['figi', parseFigi],
    ['slug', parseSlug],
    ['ticker', parseTicker],
    ['mic', parseMic],
    ['cik', parseCik],
    ['lei', parseLei],
  ] as const)('carry no %s that its parser refuses or changes, check digits included', (field, parse) => {
    const claimed = ALL.map((row) => row[field]).filter((value) => value !== null)
    expect(claimed.filter((value) => parse(value) !== value)).toEqual([])
  })

  it('name market, ISIN and sector for every stock, and a FIGI for all but 14', () => {
    expect(STOCKS.filter((row) => row.mic === null || row.isin === null || row.sectorGics === null)).toEqual(
      [],
    )
    expect(STOCKS.filter((row) => row.figi === null).map((row) => row.ticker)).toEqual([
      ...['SIE', 'ALV', 'NESN', 'NOVN', 'BMW', 'DTE', 'BAS', 'OR', 'AI', 'AIR', 'INGA', 'AZN', 'RIO', '6758'],
    ])
  })

  it('name the LEI of 37 of the 60 issuers of stocks, and of nothing else', () => {
    const without = STOCKS.filter((row) => row.lei === null).map((row) => row.ticker)
    expect(without.slice(0, 4)).toEqual(['TXN', 'CVX', 'CAT', 'INTC'])
    expect(without).toHaveLength(23)
    expect(ALL.filter((row) => row.lei !== null && row.assetClass !== 'stock')).toEqual([])
    expect(STOCKS[0]?.lei).toBe('HWUPKR0MPOU8FGXBT394')
  })

  it('state for every crypto asset its symbol at each venue, and for nothing else', () => {
    for (const { symbols } of CRYPTO_ASSETS) expect(Object.keys(symbols)).toEqual([...VENUES])
    expect(CRYPTO_ASSETS[0]?.symbols).toEqual({
      binance: 'BTCUSDT',
      bitstamp: 'btcusd',
      coinbase: 'BTC-USD',
      kraken: 'XBTUSD',
      okx: 'BTC-USDT',
    })
    expect(CRYPTO_ASSETS[5]?.symbols).toMatchObject({ binance: null, okx: null, kraken: 'USDTUSD' })
    expect(ALL.filter((row) => row.assetClass !== 'crypto' && Object.keys(row.symbols).length > 0)).toEqual(
      [],
    )
  })

  it('trade on markets and in currencies that the reference has', () => {
    const mics = new Set(MARKETS_OF_REFERENCE.map(({ mic }) => mic))
    const codes = new Set(CURRENCIES.map(({ code }) => code))
    expect(ALL.filter((row) => row.mic !== null && !mics.has(row.mic))).toEqual([])
    expect(ALL.filter((row) => !codes.has(row.currency))).toEqual([])
  })

  it('name a sector for stocks only, and a CIK for exactly the stocks listed in the US', () => {
    expect(ALL.filter((row) => row.sectorGics !== null && row.assetClass !== 'stock')).toEqual([])
    for (const row of STOCKS) {
      expect(row.cik !== null, row.ticker).toBe(row.mic === 'XNAS' || row.mic === 'XNYS')
    }
  })

  it('trade in the currency of their market', () => {
    const currencies = new Set(
      ALL.filter((row) => row.mic !== null).map((row) => `${row.mic} ${row.currency}`),
    )
    expect([...currencies].sort()).toEqual([
      'ARCX USD',
      'IFEU USD',
      'XAMS EUR',
      'XCEC USD',
      'XETR EUR',
      'XLON GBP',
      'XNAS USD',
      'XNYM USD',
      'XNYS USD',
      'XPAR EUR',
      'XSWX CHF',
      'XTKS JPY',
    ])
  })
})

const tickersPath = samplePath('sec/company_tickers.json')
describe.skipIf(tickersPath === null)(
  `reference instruments against the SEC's ticker list${tickersPath === null ? ' (skipped: sample not at hand)' : ''}`,
  () => {
    it('have the CIK that the SEC names for their ticker', () => {
      const listed: Record<string, { cik_str: number; ticker: string }> = JSON.parse(
        readFileSync(tickersPath ?? '', 'utf8'),
      )
      const cikByTicker = new Map(Object.values(listed).map((row) => [row.ticker, row.cik_str]))
      const claimed = ALL.filter((row) => row.cik !== null)
      expect(claimed).toHaveLength(41)
      for (const row of claimed) expect(Number(row.cik), row.ticker).toBe(cikByTicker.get(row.ticker))
    })
  },
)

const micsPath = samplePath('openfigi/values_mic_code.json')
describe.skipIf(micsPath === null)(
  `reference instruments against OpenFIGI's market codes${micsPath === null ? ' (skipped: sample not at hand)' : ''}`,
  () => {
    it('name only markets that exist', () => {
      const known = new Set<unknown>(JSON.parse(readFileSync(micsPath ?? '', 'utf8')))
      expect(ALL.filter((row) => row.mic !== null && !known.has(row.mic)).map((row) => row.ticker)).toEqual(
        [],
      )
    })
  },
)
