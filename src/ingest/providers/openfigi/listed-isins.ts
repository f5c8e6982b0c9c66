import type { Isin } from '../../../core/identifiers.js'
import type { AskedIsin } from '../../../domains/instruments/isins/isins-model.js'
import type { PagedFeed } from '../../feed.js'
import { mappingFeed, UNITED_STATES } from './mapping-feed.js'

/** Name of the runs in the ledger. */
export const LISTED_ISINS_FEED = 'listed-isins'

/** The FIGI in the United States of each ISIN. */
export function listedIsinsOf(items: readonly Isin[], apiKey: string | null): PagedFeed<AskedIsin> {
  return mappingFeed(
    {
      id: LISTED_ISINS_FEED,
      description: 'ISINs of the stocks and ETFs that the lists of the SEC make, from holdings of funds',
      cadence: 'hourly, until each ISIN of a holding was asked for',
      items,
      jobOf: (isin) => ({ ...{ idType: 'ID_ISIN', idValue: isin, exchCode: UNITED_STATES } }),
      nameOf: (isin) => isin,
      // An answer does not repeat the ISIN.
      isAbout: () => true,
      rowOf: (isin, figi) => ({ isin, figi }),
    },
    apiKey,
  )
}
