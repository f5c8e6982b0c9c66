import type { Provider } from '../../feed.js'

/** The World Bank. Terms: https://www.worldbank.org/en/about/legal/terms-of-use-for-datasets (CC BY 4.0) */
export const worldBank: Provider = {
  id: 'worldbank',
  name: 'World Bank, commodity markets',
  url: 'https://www.worldbank.org/en/research/commodity-markets',
  licence: 'CC BY 4.0',
  attribution: 'Source: World Bank Commodity Price Data (The Pink Sheet)',
  disclaimer: 'The World Bank does not endorse this service. Figures may be revised.',
  licensedForCommercialUse: true,
}
