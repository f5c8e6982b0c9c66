import { ApiError } from '../../../core/errors.js'
import { DAY_MS } from '../../../core/time.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { holdsScope, reasonOf, requireCaller } from '../../../policy/decide.js'
import { ANALYSIS_HISTORY_DAYS } from '../../../policy/limits.js'
import type { Snapshot } from '../model.js'

/** 403 for an instant more than 90 days ago, unless the caller holds history:full. */
export function assertHistoryOf(asOf: Date, context: RequestContext): void {
  if (holdsScope(context, 'history:full')) return
  if (asOf >= openSince(context)) {
    context.validity?.endsBy(openUntil(asOf))
    return
  }
  throw refusal(context, `as_of is more than ${ANALYSIS_HISTORY_DAYS} days ago`, 'Use a later as_of')
}

/**
 * 403 if an answer would contain snapshots older than 90 days and the caller lacks history:full. Omitting them
 * would make the answer look complete. `askLess` suggests a smaller request, given the number of recent snapshots.
 */
export function assertHistoryOfSnapshots(
  snapshots: readonly Pick<Snapshot, 'generatedAt'>[],
  context: RequestContext,
  askLess: (recent: number) => string | null,
): void {
  if (holdsScope(context, 'history:full')) return
  for (const { generatedAt } of snapshots) context.validity?.endsBy(openUntil(generatedAt))
  const recent = snapshots.filter(({ generatedAt }) => generatedAt >= openSince(context)).length
  if (recent === snapshots.length) return
  const what = `${snapshots.length - recent} of the ${snapshots.length} requested snapshots were generated more than ${ANALYSIS_HISTORY_DAYS} days ago`
  throw refusal(context, what, askLess(recent))
}

/** Those of the snapshots that the caller may see. */
export function filterRecent<Of extends Pick<Snapshot, 'generatedAt'>>(
  snapshots: readonly Of[],
  context: RequestContext,
): readonly Of[] {
  if (holdsScope(context, 'history:full')) return snapshots
  return snapshots.filter(({ generatedAt }) => generatedAt >= openSince(context))
}

/** The instant before which snapshots need history:full. */
export function openSince({ now, arrivedAt = now }: RequestContext): Date {
  return new Date(arrivedAt.getTime() - ANALYSIS_HISTORY_DAYS * DAY_MS)
}

/** The first instant at which the given instant is too old. */
function openUntil(instant: Date): Date {
  return new Date(instant.getTime() + ANALYSIS_HISTORY_DAYS * DAY_MS + 1)
}

function refusal({ principal }: RequestContext, what: string, askLess: string | null): ApiError {
  const how = askLess === null ? '' : ` ${askLess}.`
  return new ApiError('forbidden', {
    message: `${what}: this needs the scope history:full: ${reasonOf(requireCaller(principal), 'history:full')}.${how}`,
    requiredScope: 'history:full',
  })
}
