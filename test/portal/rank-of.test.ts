import { describe, expect, it } from 'vitest'
import { isFullMatch, Rank, rankOf, type Searchable } from '../../src/portal/search/rank-of.js'

const ENTRIES = [
  { title: 'Japanese yen', note: 'JPY' },
  { title: 'Pound sterling', note: 'GBP' },
  { title: 'US dollar', note: 'USD' },
  { title: 'Australian dollar', note: 'AUD' },
  { title: 'Swiss franc', note: 'CHF' },
  { title: 'Residential property prices', note: 'BIS, WS_SPP' },
  { title: 'Consumer price inflation', note: 'BIS, WS_LONG_CPI' },
  { title: 'Inflation', note: 'Bank of Korea, BOK_CPI' },
  { title: 'Limits', note: 'guide' },
  { title: 'Point in time', note: 'guide' },
  { title: 'Verification', note: 'guide' },
]

/** The entries that have all words of a text, best first. */
function rankMatches(text: string, entries: readonly Searchable[]): readonly Searchable[] {
  return entries
    .map((entry) => ({ entry, rank: rankOf(text, entry) ?? Rank.some }))
    .filter(({ rank }) => isFullMatch(rank))
    .sort((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry)
}

const find = (text: string) => rankMatches(text, ENTRIES).map(({ title }) => title)

describe('rankOf', () => {
  it.each([
    ['usd', 'US dollar'],
    ['dollar', 'US dollar'],
    ['australian dolar', 'Australian dollar'],
    ['yen', 'Japanese yen'],
    ['japenese', 'Japanese yen'],
    ['sterlng', 'Pound sterling'],
    ['swiss', 'Swiss franc'],
    ['franc swiss', 'Swiss franc'],
    ['inflation', 'Inflation'],
    ['inflatoin', 'Consumer price inflation'],
    ['consumer', 'Consumer price inflation'],
    ['bok_cpi', 'Inflation'],
    ['verfication', 'Verification'],
    ['limit', 'Limits'],
    ['LIMITS', 'Limits'],
    ['propert prices', 'Residential property prices'],
  ])('finds what %j means first', (text, title) => {
    expect(find(text)[0]).toBe(title)
  })

  it('ranks equal, beginnings, words, corrected and contained texts in this order', () => {
    const titles = ['a rates', 'prorate', 'rates', 'rated', 'ratio', 'rate']
    const entries = titles.map((title) => ({ title, note: '' }))
    expect(rankMatches('rate', entries).map(({ title }) => title)).toEqual([
      'rate',
      'rates',
      'rated',
      'a rates',
      'prorate',
    ])
    const mistyped = rankMatches('ratse', [...entries, { title: 'exratse', note: '' }])
    expect(mistyped.map(({ title }) => title)).toEqual(['a rates', 'rates', 'rate', 'exratse'])
  })

  it.each(['', '  ', '-', 'xyz', 'usx', 'qqqqqqqqqq'])('finds nothing for %j', (text) => {
    expect(find(text)).toEqual([])
  })

  it('knows an entry by its keywords, and one that has only a part of the words', () => {
    const entry = { title: 'Limits', note: 'guide', keywords: ['rate limit', 'quota'] }
    const texts = [
      'rate limit',
      'quot',
      'limit rate',
      'qouta',
      'quota rate zebra',
      'the quota of today',
      'the',
      'zebra',
    ]
    expect(texts.map((text) => rankOf(text, entry))).toEqual([
      Rank.exact,
      Rank.beginning,
      Rank.words,
      Rank.corrected,
      Rank.some + 1 / 3,
      Rank.some + 3 / 4,
      null,
      null,
    ])
  })
})
