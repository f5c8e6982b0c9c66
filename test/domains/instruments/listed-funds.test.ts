import { describe, expect, it } from 'vitest'
import type { IsoDate } from '../../../src/core/time.js'
import type { FundClass } from '../../../src/domains/instruments/funds/fund-classes-model.js'
import { planListedFunds } from '../../../src/domains/instruments/funds/listed-funds-model.js'
import type { StoredMaster } from '../../../src/domains/instruments/masters/stored-master-model.js'
import { createInstrument } from '../../support/instrument.js'

const TODAY = '2026-11-20' as IsoDate // a day, as written
const ISHARES = '0001100663'

const SOXX: FundClass = {
  classId: 'C000012084',
  cik: ISHARES,
  ticker: 'SOXX',
  name: 'iShares Semiconductor ETF',
  unlistedOn: null,
  assetId: null,
}
const VOO: FundClass = {
  ...{ classId: 'C000092055', cik: '0000036405', ticker: 'VOO', unlistedOn: null, assetId: null },
  name: 'Vanguard 500 Index Fund, ETF Shares',
}

const plan = (classes: readonly FundClass[], masters: readonly StoredMaster[] = []) =>
  planListedFunds({ classes, masters, source: 'sec', day: TODAY })

/** An asset that the list of funds made, and its class. */
function stored(
  fund: FundClass,
  own: Partial<StoredMaster> = {},
): { readonly master: StoredMaster; readonly fund: FundClass } {
  const { written } = plan([fund])
  const [facts = expect.fail('no asset is made')] = written
  return { master: { ...facts, source: 'sec', ...own }, fund: { ...fund, assetId: facts.assetId } }
}

const master = (own: Partial<StoredMaster>): StoredMaster => ({
  ...createInstrument({
    assetId: 2013,
    slug: 'vanguard-sp-500',
    ticker: 'VOO',
    name: 'Vanguard S&P 500 ETF',
  }),
  ...{ mic: 'ARCX', currency: 'USD', source: 'reference' },
  ...own,
})

describe('a class of the list of funds', () => {
  it('makes an ETF with the slug of its name, a key from 100,000 on, and no CIK, which is that of many funds', () => {
    const { written, linked } = plan([SOXX])
    expect(written).toMatchObject([
      {
        ...{ assetId: 100_000, slug: 'ishares-semiconductor-etf', ticker: 'SOXX', assetClass: 'etf' },
        ...{ cik: null, mic: null, currency: 'USD', inactiveSince: null },
      },
    ])
    expect(linked).toEqual([{ classId: 'C000012084', assetId: 100_000 }])
  })

  it('waits for its name', () => {
    expect(plan([{ ...SOXX, name: null }])).toEqual({ written: [], renamed: [], linked: [], refused: [] })
  })

  it('changes nothing when it comes again', () => {
    const { master: made, fund } = stored(SOXX)
    expect(plan([fund], [made])).toEqual({ written: [], renamed: [], linked: [], refused: [] })
  })

  it('keeps key and slug under a new ticker and name', () => {
    const { master: made, fund } = stored(SOXX)
    const { written, renamed } = plan([{ ...fund, ticker: 'SOXY', name: 'iShares Chips ETF' }], [made])
    expect(written).toMatchObject([
      {
        ...{ assetId: 100_000, slug: 'ishares-semiconductor-etf', ticker: 'SOXY', name: 'iShares Chips ETF' },
        formerTickers: [{ ticker: 'SOXX', to: TODAY }],
      },
    ])
    expect(renamed).toEqual([100_000])
  })

  it('leaves an inactive ETF behind when the list lacks it, and takes it back when it returns', () => {
    const { master: made, fund } = stored(SOXX)
    expect(plan([{ ...fund, unlistedOn: TODAY }], [made]).written).toMatchObject([
      { assetId: 100_000, ticker: 'SOXX', inactiveSince: TODAY },
    ])
    const ended = { ...made, inactiveSince: TODAY }
    expect(plan([{ ...fund, unlistedOn: TODAY }], [ended]).written).toEqual([])
    expect(plan([fund], [ended]).written).toMatchObject([{ assetId: 100_000, inactiveSince: null }])
  })

  it('makes another ETF of a ticker that another class used before', () => {
    const { master: made, fund } = stored(SOXX)
    const next = { ...SOXX, classId: 'C000300000', name: 'Next Chips ETF' }
    const { written } = plan([{ ...fund, unlistedOn: TODAY }, next], [made])
    expect(written).toMatchObject([
      { assetId: 100_000, inactiveSince: TODAY },
      { assetId: 100_001, slug: 'next-chips-etf', ticker: 'SOXX', inactiveSince: null },
    ])
  })

  it('continues the ETF with its ticker whose class the list lacks at once, as a fund that moves to another registrant', () => {
    const { master: made, fund } = stored(SOXX)
    const left = { ...fund, unlistedOn: TODAY }
    const next = { ...SOXX, classId: 'C000300000', cik: '0000000009', name: 'iShares Semiconductors ETF' }
    expect(plan([left, next], [made])).toMatchObject({
      written: [
        { assetId: 100_000, slug: 'ishares-semiconductor-etf', name: next.name, inactiveSince: null },
      ],
      linked: [{ classId: 'C000300000', assetId: 100_000 }],
    })
    // The name decides once it is known.
    expect(plan([left, { ...next, name: null }], [made])).toMatchObject({ written: [], linked: [] })
    const { written } = plan(
      [
        { ...left, unlistedOn: '2026-11-18' as IsoDate },
        { ...next, name: 'Other ETF' },
      ],
      [made],
    )
    expect(written).toMatchObject([
      { assetId: 100_000, inactiveSince: '2026-11-18' },
      { assetId: 100_001, name: 'Other ETF' },
    ])
  })

  it('may exchange its ticker with another class', () => {
    const one = stored(SOXX)
    const { written: more } = plan([one.fund, VOO], [one.master])
    const other = more[0] ?? expect.fail('no asset is made')
    const { written, refused } = plan(
      [
        { ...one.fund, ticker: 'VOO' },
        { ...VOO, ticker: 'SOXX', assetId: other.assetId },
      ],
      [one.master, { ...other, source: 'sec' }],
    )
    expect(written.map(({ slug, ticker }) => [slug, ticker])).toEqual([
      ['ishares-semiconductor-etf', 'VOO'],
      ['vanguard-500-index-fund-etf-shares', 'SOXX'],
    ])
    expect(refused).toEqual([])
  })

  it('makes or changes nothing if another class of the list has its ticker', () => {
    const { master: made, fund } = stored(SOXX)
    const { written, refused } = plan([fund, { ...VOO, ticker: 'SOXX' }], [made])
    expect(written).toEqual([])
    expect(refused.map(({ position }) => position)).toEqual(['SOXX, C000012084', 'SOXX, C000092055'])
  })
})

describe('an asset that another source made', () => {
  it('is the fund of a class if it is an ETF with that ticker and a name with the same first word', () => {
    const found = plan([VOO], [master({})])
    expect(found).toEqual({
      ...{ written: [], renamed: [], refused: [] },
      linked: [{ classId: 'C000092055', assetId: 2013 }],
    })
    expect(
      plan([{ ...VOO, assetId: 2013, ticker: 'VOOO', unlistedOn: TODAY }], [master({})]).written,
    ).toEqual([])
    expect(plan([{ ...VOO, assetId: 2013, ticker: 'VOOO' }], [master({})]).written).toEqual([])
  })

  it('gets the next class with its ticker when the list lacks the one it had', () => {
    const left = { ...VOO, classId: 'C000000001', assetId: 2013, unlistedOn: TODAY }
    expect(plan([left, VOO], [master({})]).linked).toEqual([{ classId: VOO.classId, assetId: 2013 }])
  })

  it('is the fund of a class if it has the CIK of its registrant', () => {
    const listed = master({ assetId: 100_007, mic: null, exchange: 'NYSE', cik: VOO.cik, source: 'sec' })
    expect(plan([{ ...VOO, name: null }], [listed]).linked).toEqual([
      { classId: VOO.classId, assetId: 100_007 },
    ])
  })

  it('keeps a class to itself until the class has a name to compare', () => {
    expect(plan([{ ...VOO, name: null }], [master({})])).toMatchObject({
      written: [],
      linked: [],
      refused: [],
    })
  })

  it('keeps its ticker: no ETF is made of a class with another name', () => {
    const { written, linked, refused } = plan([{ ...VOO, name: 'Other Fund' }], [master({})])
    expect([written, linked]).toEqual([[], []])
    expect(refused).toEqual([
      {
        position: 'VOO, C000092055',
        reason: 'vanguard-sp-500 has this ticker; no asset is made of the class',
      },
    ])
  })

  it('stays a stock if the list of companies made it one', () => {
    const stock = master({ assetId: 100_008, assetClass: 'stock', cik: VOO.cik, mic: null, source: 'sec' })
    const { written, linked, refused } = plan([VOO], [stock])
    expect([written, linked]).toEqual([[], []])
    expect(refused[0]?.reason).toBe('vanguard-sp-500 has this ticker and CIK as a stock; it keeps its class')
  })

  it('does not stand in the way once it is inactive, or if it is of another market', () => {
    for (const own of [{ inactiveSince: TODAY }, { mic: 'XLON', name: 'Other Fund' }])
      expect(plan([VOO], [master(own)]).written).toMatchObject([{ ticker: 'VOO', assetId: 100_000 }])
  })

  it('is named beside the fund if it gets the ticker of a fund', () => {
    const { master: made, fund } = stored(SOXX)
    const stock = master({
      assetId: 100_009,
      slug: 'sox-co',
      ticker: 'SOXX',
      assetClass: 'stock',
      cik: '0000000009',
      source: 'sec',
    })
    const { written, refused } = plan([fund], [made, stock])
    expect(written).toEqual([])
    expect(refused[0]?.reason).toBe('sox-co has this ticker too; both are kept, and one of them is wrong')
  })
})
