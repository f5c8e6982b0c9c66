import type { InstrumentFacts } from '../../../domains/instruments/model.js'
import type { Feed } from '../../feed.js'
import { byCron } from '../../schedule.js'
import { instrumentsBody } from './assets.js'
import { parseInstruments } from './instrument-facts.js'
import { REFERENCE_VERSION, referenceProvider } from './reference-provider.js'

/** The asset masters that every installation begins with, also in production. */
export const reference: Feed<InstrumentFacts> = {
  id: 'reference',
  provider: referenceProvider,
  dataset: 'instruments',
  description: `Assets and primary listings that ship with the gateway, version ${REFERENCE_VERSION}`,
  cadence: 'with each release; confirmed every hour',
  schedule: byCron('5 * * * *', 60_000),
  bundled: instrumentsBody,
  parse: function* (body, context) {
    yield* parseInstruments(body)
    context.onRead(1)
  },
}
