import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseTicker, type Ticker } from '../../../../src/core/identifiers.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { MARKETS } from '../../../../src/ingest/providers/openfigi/markets.js'
import { resolveTicker } from '../../../../src/ingest/providers/openfigi/resolve-ticker.js'
import { samplePath } from '../../../support/samples.js'

function ticker(text: string): Ticker {
  const parsed = parseTicker(text)
  if (parsed === null) throw new Error(`${text} is not a ticker`)
  return parsed
}

const bytes = (value: unknown) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

const parse = (value: unknown, text = 'IBM') => resolveTicker.parse(bytes(value), ticker(text))

/** A row as the provider sends it; real FIGIs below, since the check digit is verified. */
const row = (facts: Readonly<Record<string, unknown>>) => ({
  figi: 'BBG000BLNNH6',
  name: 'INTL BUSINESS MACHINES CORP',
  ticker: 'IBM',
  exchCode: 'US',
  compositeFIGI: 'BBG000BLNNH6',
  securityType: 'Common Stock',
  marketSector: 'Equity',
  shareClassFIGI: 'BBG001S5S399',
  securityType2: 'Common Stock',
  securityDescription: 'IBM',
  ...facts,
})

const answer = (...rows: readonly object[]) => [{ data: rows }]

describe('the request', () => {
  it('is one mapping job, with the key in the header', () => {
    expect(resolveTicker.request(ticker('ibm'), 'secret')).toEqual({
      url: 'https://api.openfigi.com/v3/mapping',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-openfigi-apikey': 'secret',
      },
      body: '[{"idType":"TICKER","idValue":"IBM"}]',
      rate: { provider: 'openfigi', pauseMs: 480 },
    })
  })

  it('sends no key header without a key', () => {
    expect(resolveTicker.request(ticker('IBM'), null).headers).not.toHaveProperty('x-openfigi-apikey')
  })

  it.each(['BRK.B', 'BRK-B'])('requests %s in the spelling of the provider too', (text) => {
    expect(JSON.parse(resolveTicker.request(ticker(text), null).body)).toEqual([
      { idType: 'TICKER', idValue: text },
      { idType: 'TICKER', idValue: 'BRK/B' },
    ])
  })
})

describe('the choice of one row', () => {
  const us = row({})
  const venue = row({ figi: 'BBG000BLNQ16', exchCode: 'UN' })
  const swiss = row({ figi: 'BBG000BWZBM9', compositeFIGI: 'BBG000BWZBM9', exchCode: 'SW' })
  const chile = row({ figi: 'BBG004BWKQJ8', compositeFIGI: 'BBG004BWKQJ8', exchCode: 'CI' })

  it('is the composite of the United States, in any order of the rows', () => {
    for (const rows of [
      [us, venue, swiss, chile],
      [chile, swiss, venue, us],
    ]) {
      expect(parse(answer(...rows))).toEqual({
        figi: 'BBG000BLNNH6',
        name: 'INTL BUSINESS MACHINES CORP',
        assetClass: 'stock',
        mic: null,
        currency: 'USD',
      })
    }
  })

  it('prefers a foreign composite to a domestic venue', () => {
    expect(parse(answer(venue, swiss))).toMatchObject({ figi: 'BBG000BWZBM9', mic: null, currency: null })
  })

  it('names market and currency of a venue', () => {
    expect(parse(answer(venue))).toMatchObject({ figi: 'BBG000BLNQ16', mic: 'XNYS', currency: 'USD' })
  })

  it('prefers the United States to a known market, and that to others, before the FIGI decides', () => {
    const highest = 'BBG004BWKQJ8'
    const home = row({ figi: highest, compositeFIGI: highest, exchCode: 'US' })
    const known = row({ figi: highest, compositeFIGI: highest, exchCode: 'SW' })
    const unknown = row({ exchCode: 'CI' })
    expect(parse(answer(swiss, home))).toMatchObject({ figi: highest })
    expect(parse(answer(unknown, known))).toMatchObject({ figi: highest })
    expect(parse(answer(chile, unknown))).toMatchObject({ figi: 'BBG000BLNNH6' })
  })

  it('prefers a foreign line of the issuer to a domestic receipt or option', () => {
    const receipt = row({ securityType: 'ADR', securityType2: 'Depositary Receipt' })
    const option = row({
      figi: 'BBG0002ZTPP5',
      compositeFIGI: 'BBG0002ZTPP5',
      securityType: 'Equity Option',
      securityType2: 'Option',
    })
    expect(parse(answer(option, receipt, swiss))).toMatchObject({ figi: 'BBG000BWZBM9' })
    expect(parse(answer(option, receipt))).toMatchObject({ figi: 'BBG000BLNNH6', assetClass: 'stock' })
    expect(parse(answer(option))).toMatchObject({ figi: 'BBG0002ZTPP5', assetClass: null })
  })

  it('drops a row whose FIGI has a wrong check digit', () => {
    const wrong = row({ figi: 'BBG000BLNNH5', compositeFIGI: 'BBG000BLNNH5' })
    expect(parse(answer(wrong, chile))).toMatchObject({ figi: 'BBG004BWKQJ8' })
  })

  it('drops a row without a name and one of another ticker', () => {
    expect(parse(answer(row({ name: null }), chile))).toMatchObject({ figi: 'BBG004BWKQJ8' })
    expect(parse(answer(row({ ticker: 'IBM*' }), chile))).toMatchObject({ figi: 'BBG004BWKQJ8' })
    expect(parse(answer(row({ ticker: 'IBM*' })))).toBeNull()
  })

  it('accepts a class of shares in either spelling', () => {
    const berkshire = row({ figi: 'BBG000BLNNH6', ticker: 'BRK/B', name: 'BERKSHIRE HATHAWAY INC-CL B' })
    const body = [{ warning: 'No identifier found.' }, { data: [berkshire] }]
    expect(parse(body, 'BRK.B')).toMatchObject({ name: 'BERKSHIRE HATHAWAY INC-CL B' })
  })
})

describe('the class', () => {
  it.each([
    ['stock', { securityType: 'ADR', securityType2: 'Depositary Receipt' }],
    ['stock', { securityType: 'REIT', securityType2: 'REIT' }],
    ['etf', { securityType: 'ETP', securityType2: 'Mutual Fund' }],
    [null, { securityType: 'Open-End Fund', securityType2: 'Mutual Fund' }],
    [null, { securityType: 'Public', securityType2: 'Preferred Stock', marketSector: 'Pfd' }],
    ['crypto', { securityType: 'Crypto', securityType2: 'CRYPTO', marketSector: 'Curncy' }],
    [null, { securityType: 'SPOT', securityType2: 'SPOT', marketSector: 'Curncy' }],
    ['commodity', { securityType: 'SPOT', securityType2: null, marketSector: 'Comdty' }],
  ])('is %s for %o', (expected, facts) => {
    expect(parse(answer(row(facts)))?.assetClass).toBe(expected)
  })

  it('is crypto for a row without exchange and composite, which has neither market nor currency', () => {
    const facts = { securityType: 'Crypto', securityType2: null, marketSector: 'Curncy' }
    expect(parse(answer(row({ ...facts, exchCode: null, compositeFIGI: null })))).toMatchObject({
      assetClass: 'crypto',
      mic: null,
      currency: null,
    })
  })
})

describe('no data', () => {
  it('is null if the provider does not know the ticker', () => {
    expect(parse([{ warning: 'No identifier found.' }])).toBeNull()
    expect(parse([{ data: [] }])).toBeNull()
  })

  it.each([
    [
      'a refused job',
      [{ error: 'Invalid idValue format.' }],
      'OpenFIGI refused the identifier: "Invalid idValue format."',
    ],
    ['an HTML page', '<html><body>Bad Gateway</body></html>', 'not JSON'],
    ['an empty body', '', 'the body is empty'],
    ['binary', '\u0000\uffff\u0001', 'not JSON'],
    ['another shape', { data: [] }, 'not a list of mapping results'],
    ['an empty result', [{}], 'the result has neither data nor a warning'],
    ['a null', null, 'not a list of mapping results'],
    ['too few results', [], '0 results were sent for 1 identifiers'],
    ['too many results', [{ data: [] }, { data: [] }], '2 results were sent for 1 identifiers'],
    ['rows that are none', [{ data: [1, null, 'x', {}] }], 'none of 4 rows is valid'],
    ['wrong check digits only', answer(row({ figi: 'BBG000BLNNH5' })), 'none of 1 rows is valid'],
  ])('is a broken body for %s, never unknown', (_, body, message) => {
    expect(() => parse(body)).toThrow(BrokenBody)
    expect(() => parse(body)).toThrow(message)
  })
})

describe.skipIf(samplePath('openfigi') === null)('recorded answers (skipped without samples)', () => {
  const sample = (name: string) => readFile(samplePath(`openfigi/${name}`) ?? name)
  const ibm = {
    figi: 'BBG000BLNNH6',
    name: 'INTL BUSINESS MACHINES CORP',
    assetClass: 'stock',
    mic: null,
    currency: 'USD',
  }

  it.each([
    ['mapping_isin_example.json', 'IBM', ibm],
    ['mapping_ticker_with_security_type.json', 'IBM', ibm],
    ['mapping_cusip_with_exchange.json', 'IBM', ibm],
    [
      'mapping_currency_mic_example.json',
      'APC',
      { ...ibm, figi: 'BBG000DH0LL7', name: 'APPLE INC', mic: 'XETR', currency: null },
    ],
  ])('%s gives one instrument', async (name, text, expected) => {
    expect(resolveTicker.parse(await sample(name), ticker(text))).toEqual(expected)
  })

  it('mapping_bulk_request.json, the answer to two jobs, is not accepted as the answer to one', async () => {
    const body = await sample('mapping_bulk_request.json')
    expect(() => resolveTicker.parse(body, ticker('AAPL'))).toThrow('2 results were sent for 1 identifiers')
    const [, apple] = JSON.parse(body.toString())
    expect(parse([apple], 'AAPL')).toEqual({ ...ibm, figi: 'BBG000B9XRY4', name: 'APPLE INC' })
  })

  it('mapping_invalid_identifier.json is a refused job', async () => {
    const body = await sample('mapping_invalid_identifier.json')
    expect(() => resolveTicker.parse(body, ticker('IBM'))).toThrow(BrokenBody)
  })
})

describe('the table of markets', () => {
  const path = samplePath('openfigi/mapping_mic_figi-exchange-codes.csv')

  it.skipIf(path === null)(
    'agrees with the published table of exchange codes (skipped without samples)',
    async () => {
      const table = await readFile(path ?? '', 'utf8')
      const venues = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
      for (const [code, { mic }] of MARKETS) {
        const own = venues.filter((cells) => cells[4] === code)
        const inComposite = new Set(venues.filter((cells) => cells[6] === code).map((cells) => cells[4]))
        expect(own.length + inComposite.size, code).toBeGreaterThan(0)
        if (mic === null) continue
        expect(
          own.map((cells) => cells[0]),
          code,
        ).toContain(mic)
        // A composite of several venues has no market of its own.
        expect(inComposite.size, code).toBeLessThanOrEqual(1)
      }
    },
  )
})
