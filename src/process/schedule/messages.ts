import type { JobEvent } from '../../ingest/schedule/options.js'

/** Messages from the schedule process to the gateway that forked it. */
export type FromSchedule = { readonly kind: 'here' } | { readonly kind: 'ran'; readonly event: JobEvent }
