import type {
  AskedListing,
  ListingToAsk,
} from '../../../domains/instruments/identifiers/listed-figis-model.js'
import type { PagedFeed } from '../../feed.js'
import { mappingFeed, UNITED_STATES } from './mapping-feed.js'
import { slashed } from './mapping-request.js'

/** Name of the runs in the ledger. */
export const LISTED_FIGIS_FEED = 'listed-figis'

/** The FIGI of each listing in the United States, by its ticker. */
export function listedFigisOf(
  items: readonly ListingToAsk[],
  apiKey: string | null,
): PagedFeed<AskedListing> {
  return mappingFeed(
    {
      id: LISTED_FIGIS_FEED,
      description: 'FIGIs of the stocks and ETFs that the lists of the SEC make',
      cadence: 'hourly, until each listing was asked for',
      items,
      jobOf: ({ ticker }) => ({
        ...{ idType: 'TICKER', idValue: slashed(ticker), exchCode: UNITED_STATES },
      }),
      nameOf: ({ ticker }) => ticker,
      isAbout: (security, { ticker }) => security.ticker === slashed(ticker),
      rowOf: ({ assetId }, figi) => ({ assetId, figi }),
    },
    apiKey,
  )
}
