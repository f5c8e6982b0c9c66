import type { Ticker } from '../../../core/identifiers.js'
import type {
  AskedListing,
  ListingToAsk,
} from '../../../domains/instruments/identifiers/listed-figis-model.js'
import type { PagedFeed } from '../../feed.js'
import { mappingFeed, UNITED_STATES } from './mapping-feed.js'
import type { OpenFigiAccount } from './mapping-request.js'

/** Name of the runs in the ledger. */
export const LISTED_FIGIS_FEED = 'listed-figis'

/** The FIGI of each listing in the United States, by its ticker. */
export function listedFigisOf(
  items: readonly ListingToAsk[],
  account: OpenFigiAccount,
): PagedFeed<AskedListing> {
  return mappingFeed(
    {
      id: LISTED_FIGIS_FEED,
      description: 'FIGIs of the stocks and ETFs that the lists of the SEC make',
      cadence: 'hourly, until each listing was asked for',
      items,
      what: 'tickers',
      jobOf: ({ ticker }) => ({
        ...{ idType: 'TICKER', idValue: spellingOf(ticker), exchCode: UNITED_STATES },
      }),
      nameOf: ({ ticker }) => ticker,
      isAbout: (row, { ticker }) => row.get('ticker') === spellingOf(ticker),
      rowOf: ({ assetId }, figi) => ({ assetId, figi }),
    },
    account,
  )
}

/** OpenFIGI writes share classes with a slash: BRK/B. */
function spellingOf(ticker: Ticker): string {
  return ticker.replaceAll(/[.-]/g, '/')
}
