import type { Provider } from '../../feed.js'

/** Coin Metrics community data. Terms: https://github.com/coinmetrics/data (CC BY-NC 4.0) */
export const coinMetrics: Provider = {
  id: 'coinmetrics',
  name: 'Coin Metrics community network data',
  url: 'https://coinmetrics.io/community-network-data/',
  licence: 'CC BY-NC 4.0: not for commercial use',
  attribution: 'Source: Coin Metrics community network data',
  disclaimer: 'Coin Metrics does not endorse this service. Whole histories are revised.',
  licensedForCommercialUse: false,
}
