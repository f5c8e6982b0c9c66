import { describe, expect, it } from 'vitest'
import type { IsoDate } from '../../../src/core/time.js'
import { toCompanyLines } from '../../../src/domains/instruments/masters/listed-companies.js'
import { planListedMasters } from '../../../src/domains/instruments/masters/listed-masters-model.js'
import type { StoredMaster } from '../../../src/domains/instruments/masters/stored-master-model.js'
import { createInstrument } from '../../support/instrument.js'

type Line = readonly [ticker: string, cik: number, name: string, exchange?: string]

const TODAY = '2026-11-20' as IsoDate // a day, as written
const cikOf = (cik: number) => String(cik).padStart(10, '0')

const linesOf = (lines: readonly Line[]) =>
  toCompanyLines(
    lines.map(([ticker, cik, name, exchange = 'Nasdaq']) => ({ ticker, cik: cikOf(cik), name, exchange })),
  )

const plan = (lines: readonly Line[], masters: readonly StoredMaster[] = []) =>
  planListedMasters({ lines: linesOf(lines), masters, source: 'sec', day: TODAY })

/** The masters after several lists, one after another. */
function afterLists(...lists: readonly (readonly Line[])[]): readonly StoredMaster[] {
  return lists.reduce<readonly StoredMaster[]>((masters, lines) => {
    const { written } = plan(lines, masters)
    const ids = new Set(written.map(({ assetId }) => assetId))
    const kept = masters.filter(({ assetId }) => !ids.has(assetId))
    return [...kept, ...written.map((facts) => ({ ...facts, source: 'sec' }))]
  }, [])
}

const bySlug = (masters: readonly StoredMaster[], slug: string) =>
  masters.find((one) => one.slug === slug) ?? expect.fail(`no asset has the slug ${slug}`)

const APPLE: StoredMaster = {
  ...createInstrument({ assetId: 1001, slug: 'apple', ticker: 'AAPL', name: 'Apple Inc.' }),
  ...{ assetClass: 'stock', mic: 'XNAS', cik: cikOf(320193), source: 'reference' },
}

describe('assets from the list of the SEC', () => {
  it('get a slug of the name, a key from 100,000 on, and the market if the list names one', () => {
    const masters = afterLists([
      ['ZM', 1585521, 'Zoom Communications, Inc.'],
      ['BA', 12927, 'BOEING CO', 'NYSE'],
      ['TETH', 1992508, '21Shares Ethereum ETF', 'CBOE'],
    ])
    expect(masters).toMatchObject([
      { assetId: 100_000, slug: 'zoom-communications-inc', ticker: 'ZM', mic: 'XNAS', assetClass: 'stock' },
      { assetId: 100_001, slug: 'boeing-co', mic: null, exchange: 'NYSE', cik: '0000012927' },
      { assetId: 100_002, slug: '21shares-ethereum-etf', mic: 'BATS', assetClass: 'etf' },
    ])
  })

  it('are none of a ticker without an exchange, nor of one that two companies have', () => {
    const lines: readonly Line[] = [
      ['NEW', 1, 'New Inc.', ''],
      ['TWO', 2, 'Two Inc.'],
      ['TWO', 3, 'Other Inc.'],
    ]
    expect(plan(lines).written).toEqual([])
  })

  it('are the preferred shares, warrants, units and rights of an issuer too, tied to its main share', () => {
    const masters = afterLists([
      ['BA-PA', 12927, 'BOEING CO', 'NYSE'],
      ['BA', 12927, 'BOEING CO', 'NYSE'],
      ['ACCU', 7, 'Acc Corp /DE/'],
      ['ABCD', 8, 'Abc Corp'],
      ['ABCDU', 8, 'Abc Corp'],
      ['ABCDW', 8, 'Abc Corp'],
      ['ABCDR', 8, 'Abc Corp'],
      ['ABCDL', 8, 'Abc Corp'],
    ])
    expect(masters.map(({ slug, name, securityType }) => [slug, name, securityType])).toEqual([
      ['boeing-co', 'BOEING CO', null],
      ['boeing-co-ba-pa', 'BOEING CO, preferred share BA-PA', 'preferred'],
      ['acc-corp', 'Acc Corp /DE/', null],
      ['abc-corp', 'Abc Corp', null],
      ['abc-corp-abcdu', 'Abc Corp, unit ABCDU', 'unit'],
      ['abc-corp-abcdw', 'Abc Corp, warrant ABCDW', 'warrant'],
      ['abc-corp-abcdr', 'Abc Corp, right ABCDR', 'right'],
      ['abc-corp-abcdl', 'Abc Corp, ABCDL', null],
    ])
    const issuer = bySlug(masters, 'abc-corp').assetId
    const tied = masters.filter(({ issuerAssetId }) => issuerAssetId === issuer)
    expect(tied.map(({ ticker }) => ticker)).toEqual(['ABCDU', 'ABCDW', 'ABCDR', 'ABCDL'])
    expect(bySlug(masters, 'boeing-co-ba-pa').issuerAssetId).toBe(bySlug(masters, 'boeing-co').assetId)
  })

  it('take a fifth letter for a kind only with another ticker of the company, and no such ticker for the main share', () => {
    const alone = afterLists([['WXYZU', 9, 'Wxyz Acquisition Corp']])
    expect(alone).toMatchObject([
      { slug: 'wxyz-acquisition-corp-wxyzu', securityType: null, issuerAssetId: null },
    ])
    const later = afterLists(
      [['WXYZU', 9, 'Wxyz Acquisition Corp']],
      [
        ['WXYZU', 9, 'Wxyz Acquisition Corp'],
        ['WXYZ', 9, 'Wxyz Acquisition Corp'],
      ],
    )
    const share = bySlug(later, 'wxyz-acquisition-corp')
    expect(share.ticker).toBe('WXYZ')
    expect(bySlug(later, 'wxyz-acquisition-corp-wxyzu')).toMatchObject({
      securityType: 'unit',
      issuerAssetId: share.assetId,
    })
  })

  it('take the first line of a company for its main share, but not one without an exchange', () => {
    const masters = afterLists([
      ['PRE', 1577, 'Renef Corp', ''],
      ['RENEF', 1577, 'Renef Corp', 'OTC'],
      ['REEUF', 1577, 'Renef Corp', 'OTC'],
    ])
    expect(masters.map(({ slug, ticker }) => [slug, ticker])).toEqual([
      ['renef-corp', 'RENEF'],
      ['renef-corp-reeuf', 'REEUF'],
    ])
  })

  it('do not change when the same list comes again', () => {
    const list: readonly Line[] = [
      ['GOOG', 1652044, 'Alphabet Inc.'],
      ['GOOGL', 1652044, 'Alphabet Inc.'],
      ['TCEHY', 5, 'Tencent Holdings Ltd/ADR', 'OTC'],
    ]
    expect(plan(list, afterLists(list))).toEqual({
      written: [],
      moved: [],
      renamed: [],
      refused: [],
      succeeded: [],
    })
  })

  it('append the ticker to a slug that is taken, and a number if that is taken too', () => {
    const masters = afterLists(
      [['AAA', 1, 'Acme Inc.']],
      [
        ['AAA', 1, 'Acme Inc.'],
        ['BBB', 2, 'ACME INC'],
      ],
      [['BBB', 3, 'Other Co']],
      [['BBB', 4, 'Acme Inc']],
    )
    expect(masters.map(({ slug }) => slug).sort()).toEqual([
      'acme-inc',
      'acme-inc-bbb',
      'acme-inc-bbb-2',
      'other-co',
    ])
  })
})

describe('a later list', () => {
  const BEFORE: readonly Line[] = [
    ['HOND', 5, 'HCM II Acquisition Corp.'],
    ['HONDW', 5, 'HCM II Acquisition Corp.'],
    ['ZM', 6, 'Zoom Communications'],
  ]

  it('renames the main share of a company and with it its warrant; slug and key stay', () => {
    const masters = afterLists(BEFORE)
    const found = plan(
      [
        ['IMSR', 5, 'Terrestrial Energy Inc.'],
        ['IMSRW', 5, 'Terrestrial Energy Inc.'],
        ['ZM', 6, 'Zoom Communications'],
      ],
      masters,
    )
    expect(found.written).toMatchObject([
      {
        assetId: bySlug(masters, 'hcm-ii-acquisition-corp').assetId,
        slug: 'hcm-ii-acquisition-corp',
        ticker: 'IMSR',
        name: 'Terrestrial Energy Inc.',
        formerTickers: [{ ticker: 'HOND', to: TODAY }],
      },
      { slug: 'hcm-ii-acquisition-corp-hondw', ticker: 'IMSRW', securityType: 'warrant' },
    ])
    expect(found.renamed).toHaveLength(2)
  })

  it('takes a note that follows another note for a new security', () => {
    const before: readonly Line[] = [
      ['GECC', 7, 'Great Elm'],
      ['GECCZ', 7, 'Great Elm'],
    ]
    const masters = afterLists(before, [
      ['GECC', 7, 'Great Elm'],
      ['GECCG', 7, 'Great Elm'],
    ])
    expect(bySlug(masters, 'great-elm-geccz')).toMatchObject({ ticker: 'GECCZ', inactiveSince: TODAY })
    expect(bySlug(masters, 'great-elm-geccg')).toMatchObject({ ticker: 'GECCG', inactiveSince: null })
  })

  it('keeps a security that it lacks, without a market and with its last day, and takes it back when it returns', () => {
    const without = BEFORE.slice(0, 2)
    const masters = afterLists(BEFORE, without)
    expect(bySlug(masters, 'zoom-communications')).toMatchObject({
      mic: null,
      inactiveSince: TODAY,
      ticker: 'ZM',
    })
    const again = afterLists(BEFORE, without, BEFORE)
    expect(again).toHaveLength(3)
    expect(bySlug(again, 'zoom-communications')).toMatchObject({ mic: 'XNAS', inactiveSince: null })
  })

  it('makes another asset of a ticker that another company uses, at once or later', () => {
    const atOnce = afterLists(BEFORE, [['ZM', 8, 'Zimmer Mining Ltd']])
    const later = afterLists(BEFORE, [], [['ZM', 8, 'Zoom Mining Ltd']])
    for (const masters of [atOnce, later]) {
      const [old, next] = masters.filter(({ ticker }) => ticker === 'ZM')
      expect(old).toMatchObject({ slug: 'zoom-communications', cik: cikOf(6), inactiveSince: TODAY })
      expect(next).toMatchObject({ cik: cikOf(8), inactiveSince: null })
      expect(next?.assetId).not.toBe(old?.assetId)
    }
  })

  it('keeps the asset of a company that gets a new CIK under the same ticker and name', () => {
    const masters = afterLists(BEFORE, [...BEFORE.slice(0, 2), ['ZM', 9, 'ZOOM COMMUNICATIONS HOLDINGS']])
    expect(masters).toHaveLength(3)
    expect(bySlug(masters, 'zoom-communications')).toMatchObject({ cik: cikOf(9), inactiveSince: null })
  })

  it('lets two companies exchange their tickers', () => {
    const masters = afterLists(
      [
        ['AAA', 1, 'Alpha'],
        ['BBB', 2, 'Beta'],
      ],
      [
        ['BBB', 1, 'Alpha'],
        ['AAA', 2, 'Beta'],
      ],
    )
    expect(masters.map(({ slug, ticker }) => [slug, ticker])).toEqual([
      ['alpha', 'BBB'],
      ['beta', 'AAA'],
    ])
  })
})

describe('assets of the reference and of the operator', () => {
  it('never change, and the list makes no second asset of them', () => {
    expect(plan([['AAPL', 320193, 'Apple Computer']], [APPLE]).written).toEqual([])
    expect(plan([['AAPL', 320193, 'Apple Computer']], [{ ...APPLE, cik: null }]).written).toEqual([])
    expect(plan([], [APPLE]).written).toEqual([])
  })

  it('keep their place if the list gives their ticker to another company', () => {
    expect(plan([['AAPL', 999, 'Another Apple Corp']], [APPLE]).written).toEqual([])
  })

  it('may have the new ticker that appears where theirs is missing; no asset is made of it', () => {
    const { written, refused } = plan([['APPL', 320193, 'Apple Inc.']], [APPLE])
    expect(written).toEqual([])
    expect(refused).toEqual([
      { position: 'APPL', reason: 'may be the new ticker of apple, which the list lacks' },
    ])
  })

  it('are the issuer of further securities', () => {
    const { written } = plan(
      [
        ['AAPL', 320193, 'Apple Inc.'],
        ['AAPL-PA', 320193, 'Apple Inc.', 'NYSE'],
      ],
      [APPLE],
    )
    expect(written).toMatchObject([{ slug: 'apple-inc-aapl-pa', issuerAssetId: 1001 }])
  })

  it('end if an earlier list made one of a ticker whose holder in the reference has a successor', () => {
    const own: StoredMaster = {
      ...createInstrument({
        assetId: 100_000,
        slug: 'apple-holdings',
        ticker: 'AAPL',
        name: 'Apple Holdings',
      }),
      ...{ assetClass: 'stock', mic: null, exchange: 'Nasdaq', cik: cikOf(999), source: 'sec' },
    }
    const { written, succeeded } = plan([['AAPL', 999, 'Apple Holdings']], [APPLE, own])
    expect(written).toMatchObject([{ assetId: 100_000, mic: null, inactiveSince: TODAY }])
    expect(succeeded).toEqual([{ assetId: 1001, formerCik: cikOf(320193), cik: cikOf(999) }])
  })

  it('are none of a ticker that an asset of the reference has under another name, which is named', () => {
    const unknown = { ...APPLE, cik: null }
    const { written, refused } = plan([['AAPL', 999, 'Orchard Fund']], [unknown])
    expect(written).toEqual([])
    expect(refused).toEqual([
      {
        position: 'AAPL',
        reason:
          'Orchard Fund (CIK 0000000999) has the ticker of apple, which has another name and no known CIK; no asset is made',
      },
    ])
  })

  it('are none of a fund of the reference whose name has more words', () => {
    const fund = {
      ...APPLE,
      cik: null,
      name: 'State Street SPDR Dow Jones Trust',
      ticker: 'DIA',
      mic: 'ARCX',
    }
    const { written, refused } = plan([['DIA', 999, 'SPDR DOW JONES TRUST', 'NYSE']], [fund])
    expect([written, refused]).toEqual([[], []])
  })
})
