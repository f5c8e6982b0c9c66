import { removeEvents, withdrawEvents, writeEvents } from '../../../domains/events/store.js'
import { SEED_SOURCE, type Sink } from '../../feed.js'
import { type Ingestion, seedFeed } from '../../ingestion.js'
import type { OwnEvent } from '../../providers/operator/events-file.js'
import { seedEvents, seedEventsBody } from './seed-events.js'

/** Writes events. They are as new as the newest body. */
export const eventsSink: Sink<OwnEvent> = {
  write: async (tx, events, known) => {
    const stated = events.flatMap((event) => (event.kind === 'stated' ? event.row : []))
    const taken = events.flatMap((event) => (event.kind === 'withdrawn' ? event.eventHk : []))
    const { added, revised, unchanged, alsoChanged } = await writeEvents(tx, stated, known)
    const withdrawn = await withdrawEvents(tx, taken, known)
    const counts = { added, revised: revised + withdrawn, unchanged: unchanged + taken.length - withdrawn }
    return { ...counts, alsoChanged }
  },
  removeSeed: (tx) => removeEvents(tx, SEED_SOURCE),
}

/** Events from the operator's files. */
export const events = {
  seed: { events: seedFeed(seedEvents, eventsSink, seedEventsBody) },
} satisfies Ingestion
