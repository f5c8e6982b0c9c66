import type { Provider } from '../../feed.js'

/** The Global Legal Entity Identifier Foundation. Terms: https://www.gleif.org/en/meta/lei-data-terms-of-use */
export const gleif: Provider = {
  id: 'gleif',
  name: 'Global Legal Entity Identifier Foundation',
  url: 'https://www.gleif.org',
  licence: 'CC0 1.0',
  attribution: 'Source: GLEIF',
  disclaimer: 'GLEIF does not endorse this service.',
  licensedForCommercialUse: true,
}
