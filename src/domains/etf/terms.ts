import { DAY_MS } from '../../core/time.js'
import type { UsedState } from '../../platform/database/data-version.js'
import { stateOfParts } from '../../platform/database/data-version.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { StoredFund, StoredReport } from './fund-store.js'

export const NAV_METHOD =
  'NAV: the sum of the market values of all rows of the issuer’s file divided by its shares outstanding.'

/** When a report was published; where its source does not say, the end of its day, and not later than its arrival. */
function publicationOf({ publishedAt, asOf, knownFrom }: StoredReport): Date {
  return publishedAt ?? new Date(Math.min(Date.parse(asOf) + DAY_MS, knownFrom.getTime()))
}

/** Whether a later import of the fund was not taken, so that what is shown is not the newest there is. */
export function isStale({ report }: StoredFund): boolean {
  return report !== null && report.quarantineReason !== null
}

/**
 * What an answer about funds was made from: their reports, as old as the newest of them, and the masters; the masters alone
 * where none has a report.
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
