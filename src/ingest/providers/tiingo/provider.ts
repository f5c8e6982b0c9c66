import type { Provider } from '../../feed.js'

/** Tiingo. Terms: https://www.tiingo.com/about/terms */
export const tiingo: Provider = {
  id: 'tiingo',
  name: 'Tiingo',
  url: 'https://www.tiingo.com',
  licence:
    'Tiingo terms: internal use by the holder of the key; redistribution needs an agreement with Tiingo',
  attribution: 'Source: Tiingo',
  disclaimer: 'Tiingo does not endorse this service. Prices may be corrected.',
  licensedForCommercialUse: false,
}
