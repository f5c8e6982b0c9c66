import { statesAt } from '../database/versions/data-version.js'
import type { RequestClock, RequestContext } from './request-context.js'

/** The members of the context of a request that is answered as of a clock. */
export function clockedInstants(
  clock: RequestClock,
  { arrivedAt, datasets }: Pick<RequestContext, 'datasets'> & { readonly arrivedAt: Date },
): Pick<RequestContext, 'now' | 'arrivedAt' | 'clock' | 'datasets'> {
  return { now: clock.at, arrivedAt, clock, datasets: statesAt(datasets, clock.at) }
}
