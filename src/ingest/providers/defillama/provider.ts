import type { Provider } from '../../feed.js'

/**
 * DefiLlama. Terms: https://defillama.com/terms; the API is open and free, without a separate licence for the data.
 */
export const defiLlama: Provider = {
  id: 'defillama',
  name: 'DefiLlama',
  url: 'https://defillama.com',
  licence: 'DefiLlama terms of use: open API, free of charge with the source named',
  attribution: 'Source: DefiLlama',
  disclaimer:
    'DefiLlama does not endorse this service. Figures are estimates of its adapters and may be revised.',
  // The terms of use do not grant commercial use of the data.
  licensedForCommercialUse: false,
}
