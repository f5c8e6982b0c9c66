import { describe, expect, it } from 'vitest'
import type { IsoDate } from '../../../../src/core/time.js'
import type { ListedPeriod } from '../../../../src/domains/instruments/symbols/listed-symbols-store.js'
import { contradicts, mergePeriods } from '../../../../src/domains/instruments/symbols/symbol-periods.js'
import type { MasterPeriod } from '../../../../src/domains/instruments/symbols/symbol-store.js'

const day = (text: string) => text as IsoDate // a day, as written

const MASTER: MasterPeriod = {
  ticker: 'ACME',
  occurrence: 1,
  assetId: 7,
  slug: 'acme',
  name: 'Acme Inc. Class A',
  assetClass: 'stock',
  figi: null,
  isin: null,
  cik: '0000000007',
  mic: 'XNYS',
  exchange: null,
  validFrom: null,
  validTo: null,
  successor: null,
  source: 'reference',
}

const LISTED: ListedPeriod = {
  requested: 'ACME',
  ticker: 'ACME',
  cik: '0000000007',
  exchange: 'NYSE',
  occurrence: 1,
  name: 'ACME INC',
  validFrom: null,
  validTo: null,
  successor: null,
  source: 'sec',
}

describe('periods of masters and lists', () => {
  it('are one period of a security that both have, with the words of the master', () => {
    expect(mergePeriods({ masters: [MASTER], listed: [LISTED], figis: [] })).toMatchObject([
      { slug: 'acme', exchange: null, isObserved: false, source: 'reference' },
    ])
  })

  it('end with the lists if the security was delisted', () => {
    const ended = { ...LISTED, validTo: day('2026-03-02'), successor: 'NEWA' }
    expect(mergePeriods({ masters: [MASTER], listed: [ended], figis: [] })).toMatchObject([
      {
        slug: 'acme',
        validFrom: null,
        validTo: '2026-03-02',
        successor: 'NEWA',
        isObserved: true,
        source: 'sec',
      },
    ])
  })

  it('stay open if the lists have the ticker again', () => {
    const before = { ...LISTED, validTo: day('2026-03-02') }
    const again = { ...LISTED, occurrence: 2, validFrom: day('2026-03-05') }
    expect(mergePeriods({ masters: [MASTER], listed: [again, before], figis: [] })).toMatchObject([
      { validTo: null, isObserved: false },
    ])
  })

  it('begin with the lists if the master states no day', () => {
    expect(
      mergePeriods({ masters: [MASTER], listed: [{ ...LISTED, validFrom: day('2026-03-02') }], figis: [] }),
    ).toMatchObject([{ validFrom: '2026-03-02', isObserved: true }])
  })

  it('are one period of a fund without a CIK if the names begin alike', () => {
    const fund = { ...MASTER, cik: null, name: 'SPDR S&P 500 ETF Trust', mic: 'ARCX' }
    const listed = { ...LISTED, name: 'SPDR S&P 500 ETF TRUST' }
    expect(mergePeriods({ masters: [fund], listed: [listed], figis: [] })).toHaveLength(1)
    expect(
      mergePeriods({ masters: [fund], listed: [{ ...listed, name: 'Other Trust' }], figis: [] }),
    ).toHaveLength(2)
  })

  it('contradict each other on one market on the same day, not on two', () => {
    const other = { ...LISTED, cik: '0000000008', name: 'Other Inc.' }
    const contradicted = (exchange: string) => {
      const periods = mergePeriods({ masters: [MASTER], listed: [{ ...other, exchange }], figis: [] })
      return periods.map((one) => periods.some((another) => contradicts(one, another)))
    }
    expect(contradicted('NYSE')).toEqual([true, true])
    expect(contradicted('Nasdaq')).toEqual([false, false])
    expect(contradicted('')).toEqual([false, false])
  })
})
