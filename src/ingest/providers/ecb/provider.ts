import type { Provider } from '../../feed.js'

/** The European Central Bank. Terms: https://www.ecb.europa.eu/services/using-our-site/disclaimer/html/index.en.html */
export const ecb: Provider = {
  id: 'ecb',
  name: 'European Central Bank',
  url: 'https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates',
  licence: 'Free reuse with the source named and the figures unaltered',
  attribution: 'Source: ECB statistics',
  disclaimer:
    'Euro foreign exchange reference rates are published for information purposes only; the ECB strongly discourages their use for transactions.',
  licensedForCommercialUse: true,
}
