import { describe, expect, it } from 'vitest'
import { parseXtrackersHoldings } from '../../../../src/ingest/providers/xtrackers/holdings-json.js'
import { AT, bytes, XDWD } from '../funds.js'

const LANGUAGES = {
  en: ['ISIN', 'Name', '% Weight', 'Market value', 'Country', 'Industry', 'Asset class'],
  de: ['ISIN', 'Name', 'Gewichtung %', 'Marktwert', 'Land', 'Industrie', 'Anlageklasse'],
  fr: ['ISIN', 'Nom', 'Pondération en %', 'Valeur de marché', 'Pays', 'Secteur', "Classe d'actifs"],
} as const

const body = (labels: readonly string[], rows: readonly (readonly (string | object)[])[]) =>
  JSON.stringify({
    tables: [
      {
        columns: labels.map((value, at) => ({ key: at === 0 ? 'header' : `column_${at - 1}`, value })),
        values: rows.map((cells) =>
          Object.fromEntries(
            cells.map((cell, at) => [
              at === 0 ? 'header' : `column_${at - 1}`,
              typeof cell === 'string' ? { value: cell, type: 'text' } : cell,
            ]),
          ),
        ),
      },
    ],
  })
const parse = (text: string | Uint8Array) =>
  parseXtrackersHoldings(typeof text === 'string' ? bytes(text) : text, XDWD, { ...AT, asOf: null })

const rows = (country: string, none: string, cash: string, sold: string) => [
  [
    'US67066G1040',
    'NVIDIA CORP',
    { value: sold, sortValue: 5.23670013 },
    { value: '1,26 Mrd. USD', sortValue: 1261876635.72 },
    country,
    'IT',
    'Equity',
  ],
  [
    '_CURRENCYUSD',
    'US DOLLAR',
    { value: '0', sortValue: 94.7 },
    { value: '1 EUR', sortValue: 1 },
    none,
    '',
    cash,
  ],
]

describe('the holdings of Xtrackers', () => {
  it('are the same in three languages', () => {
    const english = parse(body(LANGUAGES.en, rows('United States', '', 'Cash and/or Derivatives', '5.237%')))
    const german = parse(
      body(LANGUAGES.de, rows('Vereinigte Staaten von Amerika', '', 'Cash und/oder Derivate', '5,237%')),
    )
    const french = parse(body(LANGUAGES.fr, rows('États-Unis', '--', 'Cash', '5,237%')))
    expect(german).toEqual(english)
    expect(french).toEqual(english)
    expect(english.holdings).toMatchObject([
      {
        name: 'US DOLLAR',
        isin: null,
        weight: '0.947',
        marketValueUsd: null,
        assetCategory: 'cash',
        country: null,
        unverified: [],
      },
      {
        isin: 'US67066G1040',
        weight: '0.0523670013',
        marketValueUsd: '1261876635.72',
        assetCategory: 'equity',
        country: 'US',
      },
    ])
    expect(english.report).toMatchObject({ asOf: '2026-11-20', nav: null })
  })

  it('are read from their text without a number for sorting', () => {
    const of = (labels: readonly string[], text: string) =>
      parse(body(labels, [['', 'A', text]])).holdings[0]?.weight
    expect(of(LANGUAGES.en, '5.237%')).toBe('0.05237')
    expect(of(LANGUAGES.fr, '5,237 %')).toBe('0.05237')
    expect(parse(body(LANGUAGES.de, [['', 'A', '5.23%']])).rejections).toMatchObject([
      { position: 'row 1, "A"', reason: 'weight: the value "5.23" is not a number' },
    ])
  })

  it('keep an ISIN that fails its check as a text', () => {
    const { holdings } = parse(body(LANGUAGES.en, [['US67066G1041', 'A', { sortValue: 1 }]]))
    expect(holdings).toMatchObject([{ isin: null, unverified: ['isin US67066G1041'] }])
  })

  const GOOD = body(LANGUAGES.en, [['', 'A', { sortValue: 1 }]])
  it.each([
    ['NaN', GOOD.replace('"sortValue":1', '"sortValue":NaN'), 'weight: the value "NaN"'],
    ['a number beyond all', GOOD.replace('"sortValue":1', '"sortValue":1e400'), 'weight: the value "1e400"'],
    ['a list', GOOD.replace('"sortValue":1', '"sortValue":[1]'), 'weight: the value is a list'],
    [
      'a row that is not an object',
      GOOD.replace(/"values":\[.*\]\}\]\}/, '"values":[7]}]}'),
      'not an object',
    ],
  ])('rejects %s', (_what, text, reason) => {
    expect(parse(text).rejections).toMatchObject([{ reason: expect.stringContaining(reason) }])
  })

  it.each([
    ['HTML', '<html></html>', 'HTML'],
    ['nothing', '', 'empty'],
    ['a body that is cut', GOOD.slice(0, -5), 'cut off'],
    [
      'two values of one member',
      GOOD.replace('"sortValue":1', '"sortValue":1,"sortValue":2'),
      'member "sortValue" twice',
    ],
    ['another body', '{"error":"no"}', 'not have exactly one table'],
    ['columns without a weight', body(['ISIN', 'Name'], []), 'no column for weight'],
    ['another encoding', Uint8Array.of(0x22, 0xe9, 0x22), 'UTF-8'],
  ])('refuses %s completely', (_what, text, reason) => {
    expect(() => parse(text)).toThrow(reason)
  })
})
