import type { Provider } from '../../feed.js'

/** The International Monetary Fund. Terms: https://www.imf.org/external/terms.htm */
export const imf: Provider = {
  id: 'imf',
  name: 'International Monetary Fund, primary commodity prices',
  url: 'https://www.imf.org/en/Research/commodity-prices',
  licence: 'IMF terms of use: non-commercial use with the source named; no resale without permission',
  attribution: 'Source: International Monetary Fund',
  disclaimer: 'The IMF does not endorse this service. Figures may be revised.',
  licensedForCommercialUse: false,
}
