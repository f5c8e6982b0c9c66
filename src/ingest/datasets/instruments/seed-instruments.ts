import type { InstrumentFacts } from '../../../domains/instruments/model.js'
import type { Feed } from '../../feed.js'
import { parseInstruments } from '../../providers/reference/instrument-facts.js'
import { seedProvider } from '../../seed/values/seed-provider.js'

/** The masters of the synthetic data: the facts of the reference, marked as synthetic like its prices. */
export const seedInstruments: Feed<InstrumentFacts> = {
  id: 'seed-instruments',
  provider: seedProvider,
  dataset: 'instruments',
  description: 'Assets and primary listings for development',
  cadence: 'each start in development',
  parse: function* (body, context) {
    yield* parseInstruments(body)
    context.onRead(1)
  },
}
