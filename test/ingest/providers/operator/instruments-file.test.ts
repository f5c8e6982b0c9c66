import { describe, expect, it } from 'vitest'
import type { InstrumentFacts } from '../../../../src/domains/instruments/model.js'
import { instrumentsFile } from '../../../../src/ingest/providers/operator/instruments-file.js'
import { CRYPTO_ASSETS, STOCKS } from '../../../../src/ingest/providers/reference/assets.js'

const MASTERS = [...CRYPTO_ASSETS, ...STOCKS]
/** As the table has it: what only a list knows is stated as unknown. */
const BITCOIN = { ...CRYPTO_ASSETS[0], exchange: null, securityType: null, issuerAssetId: null }
const LINK = '0x514910771AF9Ca656af840dff83E8264EcF986CA'
const feed = instrumentsFile(MASTERS)
const read = (body: string | Uint8Array) => [
  ...feed.parse(typeof body === 'string' ? new TextEncoder().encode(body) : body, {
    now: new Date('2026-11-22T10:00:00Z'),
    onRead: () => {},
    onAbsent: () => {},
  }),
]
const rows = (body: string) => read(body).flatMap((item) => (item.kind === 'row' ? item.row : []))
const reasons = (body: string) =>
  read(body).map((item) => (item.kind === 'row' ? 'taken' : `${item.position}: ${item.reason}`))

const NEW =
  'slug,asset_id,ticker,name,asset_class,currency,tier,mic,isin,figi,sector_gics,cik,chain_id,contract'
const pepe = (change: Readonly<Record<string, string>> = {}) => {
  const cells: Record<string, string> = {
    slug: 'pepe',
    asset_id: '1000001',
    ticker: 'PEPE',
    name: 'Pepe',
    asset_class: 'crypto',
    currency: 'USD',
    tier: '2',
    ...change,
  }
  return `${NEW}\n${NEW.split(',')
    .map((name) => cells[name] ?? '')
    .join(',')}\n`
}

describe('the operator’s table of assets', () => {
  it('adds an asset with all its columns', () => {
    const facts: InstrumentFacts = {
      assetId: 1_000_001,
      slug: 'pepe',
      ticker: 'PEPE',
      name: 'Pepe',
      assetClass: 'crypto',
      tier: 2,
      mic: null,
      exchange: null,
      securityType: null,
      issuerAssetId: null,
      isin: null,
      figi: null,
      currency: 'USD',
      sectorGics: null,
      cik: null,
      contract: { chainId: 1, address: LINK.toLowerCase() },
      lei: null,
      symbols: {
        binance: 'PEPEUSDT',
        bitstamp: 'pepeusd',
        coinbase: 'PEPE-USD',
        kraken: 'PEPEUSD',
        okx: 'PEPE-USDT',
      },
    }
    expect(rows(pepe({ chain_id: '1', contract: LINK }))).toEqual([facts])
    const stock = pepe({
      ...{ ticker: 'abc', asset_class: 'stock', tier: '', mic: 'xnas', isin: 'us0378331005', cik: '320193' },
      sector_gics: 'Energy',
    })
    expect(rows(stock)).toMatchObject([
      {
        ticker: 'ABC',
        mic: 'XNAS',
        isin: 'US0378331005',
        cik: '0000320193',
        sectorGics: 'Energy',
        tier: null,
      },
    ])
  })

  it('states the symbols of venues, and which venues are not used', () => {
    const [own] = rows('slug,symbol_kraken,symbol_okx\nbitcoin,BTCUSD,\n')
    expect(own).toEqual({ ...BITCOIN, symbols: { ...BITCOIN.symbols, kraken: 'BTCUSD', okx: null } })
    const [renamed] = rows('slug,ticker,symbol_kraken\nbitcoin,XBT,XBTUSD\n')
    expect(renamed?.symbols).toEqual({
      binance: 'XBTUSDT',
      bitstamp: 'xbtusd',
      coinbase: 'XBT-USD',
      kraken: 'XBTUSD',
      okx: 'XBT-USDT',
    })
  })

  it.each([
    ['symbol_binance', 'BTCUSD', '"BTCUSD" is not a pair of binance in USDT, such as ABCUSDT'],
    ['symbol_bitstamp', 'BTCUSD', '"BTCUSD" is not a pair of bitstamp in USD, such as abcusd'],
    ['symbol_coinbase', 'BTCUSD', '"BTCUSD" is not a pair of coinbase in USD, such as ABC-USD'],
    ['symbol_kraken', 'USD', '"USD" is not a pair of kraken in USD, such as ABCUSD'],
    ['symbol_okx', '../x', '"../x" must have 2 to 20 letters, digits and hyphens'],
    [
      'lei',
      'HWUPKR0MPOU8FGXBT395',
      '"HWUPKR0MPOU8FGXBT395" is not an LEI: the check digits do not match (ISO 17442)',
    ],
  ])('refuses %s %s', (column, cell, reason) => {
    expect(reasons(`slug,${column}\nbitcoin,${cell}\n`)).toEqual([`line 2, "bitcoin": ${column} ${reason}`])
  })

  it('accepts an LEI, and symbols for crypto assets only', () => {
    expect(rows('slug,lei\napple,hwupkr0mpou8fgxbt394\n')[0]?.lei).toBe('HWUPKR0MPOU8FGXBT394')
    expect(reasons('slug,symbol_kraken\napple,AAPLUSD\n')).toEqual([
      'line 2, "apple": symbols of venues are for crypto assets only',
    ])
  })

  it('keeps stored values without a column, and removes them by an empty cell', () => {
    expect(rows('slug,name\nbitcoin,BTC\n')).toEqual([{ ...BITCOIN, name: 'BTC' }])
    expect(rows('Slug,FIGI,Asset_ID\nbitcoin,,1\n')).toEqual([{ ...BITCOIN, figi: null }])
    expect(rows('slug,chain_id,contract\nchainlink,,\n')).toMatchObject([
      { slug: 'chainlink', contract: null },
    ])
  })

  it.each([
    [{ slug: 'Pepe Coin' }, 'slug "Pepe Coin" must be a slug'],
    [{ slug: '' }, 'slug "" must be a slug'],
    [{ asset_id: '' }, 'asset_id is missing: pepe is new'],
    [{ asset_id: '-1' }, 'asset_id "-1" must be a whole number from 1 to 2147483647'],
    [{ asset_id: '2147483648' }, 'asset_id "2147483648" must be a whole number'],
    [{ asset_id: '1e6' }, 'asset_id "1e6" must be a whole number'],
    [{ asset_id: '1' }, 'asset_id 1 already belongs to bitcoin'],
    [{ asset_id: '77' }, 'asset_id 77 is reserved for the reference; begin at 1000000'],
    [{ slug: 'bitcoin' }, 'asset_id 1000001 contradicts the asset_id 1 of bitcoin'],
    [{ slug: 'apple', asset_id: '' }, 'asset_class crypto contradicts the class stock of apple'],
    [{ ticker: '' }, 'ticker "" must be a ticker'],
    [{ name: '' }, 'name must not be empty'],
    [{ name: 'x'.repeat(201) }, 'name has more than 200 characters'],
    [{ name: 'a\u0007b' }, 'name has a control character'],
    [{ asset_class: 'krypto' }, 'asset_class "krypto" is unknown; did you mean crypto?'],
    [{ tier: '4' }, 'tier "4" must be 1, 2 or 3'],
    [{ tier: '0' }, 'tier "0" must be 1, 2 or 3'],
    [{ asset_class: 'stock' }, 'tier is for crypto assets only'],
    [
      { isin: 'US0378331006' },
      'isin "US0378331006" is not an ISIN: the check digit does not match (ISO 6166)',
    ],
    [{ figi: 'BBG000B9XRY5' }, 'figi "BBG000B9XRY5" is not a FIGI: the check digit does not match'],
    [{ mic: 'NASDAQ' }, 'mic "NASDAQ" must be a market identifier code'],
    [{ currency: 'DOLLAR' }, 'currency "DOLLAR" must be a currency code'],
    [{ currency: 'QQQ' }, 'currency "QQQ" is not a currency of ISO 4217'],
    [{ sector_gics: 'Energy' }, 'sector_gics is for stocks only'],
    [
      { asset_class: 'stock', tier: '', sector_gics: 'Enery' },
      'sector_gics "Enery" is unknown; did you mean Energy?',
    ],
    [{ cik: '0' }, 'cik "0" must be a CIK'],
    [{ chain_id: '1' }, 'chain_id and contract must be given together'],
    [{ chain_id: '1', contract: LINK.replace('A', 'a') }, 'the capital letters do not match (EIP-55)'],
    [{ chain_id: '1', contract: '0x12' }, 'contract "0x12" must be an address'],
    [
      { asset_class: 'stock', tier: '', ticker: 'AAPL', mic: 'XNAS' },
      'AAPL on XNAS already belongs to apple',
    ],
  ])('rejects %j alone, with its line and the reason', (change, reason) => {
    const [given] = reasons(pepe(change))
    expect(given).toMatch(/^line 2/)
    expect(given).toContain(reason)
  })

  it('names every fault of a row at once', () => {
    const [given] = reasons(pepe({ tier: '9', isin: 'X', asset_id: '1' }))
    expect(given).toBe(
      'line 2, "pepe": asset_id 1 already belongs to bitcoin; tier "9" must be 1, 2 or 3; isin "X" must be an ISIN: 2 letters, 9 letters or digits and a check digit',
    )
  })

  it('says which columns a new asset lacks', () => {
    expect(reasons('slug,asset_id\npepe,1000001\n')).toEqual([
      'line 2, "pepe": ticker is missing: the asset is new and the file has no such column; name is missing: the asset is new and the file has no such column; asset_class is missing: the asset is new and the file has no such column; currency is missing: the asset is new and the file has no such column',
    ])
  })

  it('refuses all lines that contradict each other about one slug, one key or one listing', () => {
    const header = 'slug,asset_id,ticker,name,asset_class,currency,mic\n'
    const line = (slug: string, id: number, ticker: string) => `${slug},${id},${ticker},N,stock,USD,XNYS\n`
    const ofOneSlug = line('a', 1_000_001, 'A1') + line('a', 1_000_002, 'A2')
    const ofOneKey = line('b', 1_000_003, 'A3') + line('c', 1_000_003, 'A4')
    const ofOneListing = line('d', 1_000_004, 'A5') + line('e', 1_000_005, 'a5')
    const same = line('f', 1_000_006, 'A6')
    expect(reasons(header + ofOneSlug + ofOneKey + ofOneListing + same + same)).toEqual([
      'line 2, "a": a differs on line 3; neither is used',
      'line 3, "a": a differs on line 2; neither is used',
      'line 4, "b": asset_id 1000003 belongs to c on line 5; neither is used',
      'line 5, "c": asset_id 1000003 belongs to b on line 4; neither is used',
      'line 6, "d": A5 on XNYS belongs to e on line 7; neither is used',
      'line 7, "e": A5 on XNYS belongs to d on line 6; neither is used',
      'taken',
      'line 9, "f": line 8 already has f',
    ])
  })

  it('trusts the masters if two lines claim an existing key', () => {
    const header = 'slug,asset_id,ticker,name,asset_class,currency\n'
    const body = `${header}bitcoin,1,BTC,Bitcoin,crypto,USD\npepe,1,PEPE,Pepe,crypto,USD\n`
    expect(reasons(body)).toEqual(['taken', 'line 3, "pepe": asset_id 1 already belongs to bitcoin'])
  })

  it('lets another asset have a listing that its former asset has left', () => {
    const header = 'slug,asset_id,ticker,name,asset_class,currency,mic\n'
    const body = `${header}apple,,AAPL1,Apple,stock,USD,XNAS\nnew-apple,1000001,AAPL,Apple,stock,USD,XNAS\n`
    expect(reasons(body)).toEqual(['taken', 'taken'])
  })

  it.each([
    ['', 'the body is empty'],
    ['<html>', 'the body is HTML or XML, not CSV'],
    ['{"slug":"x"}', 'the body is JSON, not CSV'],
    [new Uint8Array([0x73, 0x6c, 0x75, 0x67, 0x0a, 0xff]), 'the body is not UTF-8 text'],
    ['slug\0', 'the body is binary, not CSV'],
    ['slug,name\n"bitcoin,x\n', 'the text is not CSV'],
    ['ticker\nBTC\n', 'the header lacks slug'],
    ['slug,tikcer\nbitcoin,BTC\n', 'the header has the unknown column "tikcer"; did you mean ticker?'],
    ['slug,slug\na,b\n', 'the header has the column slug twice'],
    [new Uint8Array(16 * 2 ** 20 + 1).fill(0x61), 'the file is larger than 16 MB'],
    [`slug\n${'x\n'.repeat(100_001)}`, 'the file has more than 100000 lines; give it in parts'],
  ])('refuses another table (%#)', (body, message) => {
    expect(() => read(body)).toThrow(message)
  })

  it('rejects lines with too few or too many cells, and continues', () => {
    expect(reasons('slug,name\nbitcoin\nbitcoin,B,C\nbitcoin,"B, ""C"""\n')).toEqual([
      'line 2: the line has 1 cells, but the header has 2',
      'line 3: the line has 3 cells, but the header has 2',
      'taken',
    ])
  })

  it('reads a byte order mark, Windows line ends and blanks around cells', () => {
    expect(rows('\ufeffslug , name\r\n bitcoin , B \r\n')).toEqual([{ ...BITCOIN, name: 'B' }])
  })
})
