import { type InstrumentFacts, NOTHING_STATED } from '../../src/domains/instruments/model.js'

type Named = Pick<InstrumentFacts, 'assetId' | 'slug' | 'ticker' | 'name'>

/** An instrument for the master: a fund on a market that no other asset is listed on, unless `own` says otherwise. */
export function createInstrument(own: Named & Partial<InstrumentFacts>): InstrumentFacts {
  return {
    ...NOTHING_STATED,
    ...{ assetClass: 'etf', mic: 'XWAR', currency: 'PLN' },
    ...own,
  }
}
