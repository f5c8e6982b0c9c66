import type { Method } from '../../core/method.js'
import { DAY_MS } from '../../core/time.js'
import type { UsedState } from '../../platform/database/versions/data-version.js'
import { stateOfParts } from '../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { StoredFund, StoredReport } from './fund-store.js'

/** The method of net asset values that no provider states. */
export const NAV_METHOD: Method = {
  summary: 'NAV: the market values of all rows of the issuer’s file divided by its shares outstanding.',
  section: 'net-asset-value-of-etfs',
}

/** Publication time of a report. If the source does not state it, the end of its day or its arrival, whichever is earlier. */
function publicationOf({ publishedAt, asOf, knownFrom }: StoredReport): Date {
  return publishedAt ?? new Date(Math.min(Date.parse(asOf) + DAY_MS, knownFrom.getTime()))
}

/** True if a later import of the fund was quarantined: the served report is then not the newest one. */
export function isStale({ report }: StoredFund): boolean {
  return report !== null && report.quarantineReason !== null
}

/**
 * The state of a response about funds. It combines the reports, with the age of the newest one, and the masters. Without any
 * report it is the state of the masters.
 */
export function stateOfFunds(
  funds: readonly StoredFund[],
  masters: UsedState,
  { datasets }: RequestContext,
): UsedState {
  const reports = funds.flatMap(({ report }) => report ?? [])
  const [first] = reports
  const state = datasets.get('etf')
  if (first === undefined || state === undefined) return masters
  const newest = reports.reduce((a, b) => (publicationOf(b) > publicationOf(a) ? b : a), first)
  const navSources = funds.flatMap(({ nav }) => nav?.source ?? [])
  const sources = [newest.reportSource, ...reports.map(({ reportSource }) => reportSource), ...navSources]
  const used = stateOfParts(state, new Set(sources))
  return {
    ...used,
    source: newest.reportSource,
    sources: [...new Set([...sources, ...(masters.sources ?? [masters.source])])],
    observedAt: publicationOf(newest),
    isDevDataset: used.isDevDataset || masters.isDevDataset,
  }
}
