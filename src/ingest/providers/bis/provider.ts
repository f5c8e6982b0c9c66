import type { Provider } from '../../feed.js'

/** The Bank for International Settlements. Terms: https://www.bis.org/terms_statistics.htm */
export const bis: Provider = {
  id: 'bis',
  name: 'Bank for International Settlements',
  url: 'https://data.bis.org',
  licence:
    'BIS terms for statistics: free use with the source named; in a commercial product only without an additional charge for the BIS part; no endorsement implied',
  attribution: 'Source: BIS',
  disclaimer: 'The BIS does not endorse this service. Figures may be revised.',
  // Commercial use is free only if nothing is charged for the data, which the gateway cannot know.
  licensedForCommercialUse: false,
}
