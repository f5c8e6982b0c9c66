import type { InstrumentFacts } from '../../../domains/instruments/model.js'
import type { Feed } from '../../feed.js'
import { parseInstruments } from '../../providers/reference/instrument-facts.js'
import { SEED_FEED } from '../../seed/values/seed-provider.js'

/** The masters of the synthetic data: the facts of the reference, marked as synthetic like its prices. */
export const seedInstruments: Feed<InstrumentFacts> = {
  id: 'seed-instruments',
  ...SEED_FEED,
  dataset: 'instruments',
  description: 'Assets and primary listings for development',
  parse: function* (body, context) {
    yield* parseInstruments(body)
    context.onRead(1)
  },
}
