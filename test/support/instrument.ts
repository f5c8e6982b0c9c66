import type { InstrumentFacts } from '../../src/domains/instruments/model.js'

type Named = Pick<InstrumentFacts, 'assetId' | 'slug' | 'ticker' | 'name'>

/** An instrument for the master: a fund on a market that no other asset is listed on, unless `own` says otherwise. */
export function createInstrument(own: Named & Partial<InstrumentFacts>): InstrumentFacts {
  return {
    ...{ assetClass: 'etf', tier: null, mic: 'XWAR', currency: 'PLN', symbols: {} },
    ...{ isin: null, figi: null, sectorGics: null, cik: null, contract: null, lei: null },
    ...own,
  }
}
