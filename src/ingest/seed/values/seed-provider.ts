import type { Provider } from '../../../core/providers.js'
import { SEED_SOURCE } from '../../feed.js'

/** The publisher of the synthetic data for development and tests. */
export const seedProvider: Provider = {
  id: SEED_SOURCE,
  name: 'Synthetic development data',
  url: 'about:blank',
  licence: 'None needed: the figures are made up',
  attribution: 'Synthetic data, not from any market',
  disclaimer: 'Made-up figures for development and tests; not market data.',
  licensedForCommercialUse: false,
}

/** What all feeds of synthetic data have in common. */
export const SEED_FEED = { provider: seedProvider, cadence: 'each start in development' } as const
