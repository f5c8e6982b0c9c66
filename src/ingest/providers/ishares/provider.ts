import type { Provider } from '../../feed.js'

/** Holdings of iShares funds as BlackRock publishes them. Terms: https://www.ishares.com/us/terms-and-conditions */
export const ishares: Provider = {
  id: 'ishares',
  name: 'iShares by BlackRock',
  url: 'https://www.ishares.com',
  licence: 'Own use of the operator; no redistribution without a licence of BlackRock',
  attribution: 'Source: iShares by BlackRock',
  disclaimer: 'Holdings are subject to change. BlackRock does not endorse this service.',
  licensedForCommercialUse: false,
}
