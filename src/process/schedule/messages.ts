import type { JobEvent } from '../../ingest/schedule/options.js'

/** What the process of the schedule tells the gateway that forked it. */
export type FromSchedule = { readonly kind: 'here' } | { readonly kind: 'ran'; readonly event: JobEvent }
