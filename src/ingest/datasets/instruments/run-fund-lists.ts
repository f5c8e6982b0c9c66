import { areFundNamesDue } from '../../../domains/instruments/funds/fund-classes-store.js'
import { redactUrl } from '../../../platform/http-client/redact-url.js'
import { bindFeed, IngestError, RetryLater } from '../../feed.js'
import { liveRun } from '../../feed-group.js'
import { secFunds } from '../../providers/sec/fund-list.js'
import { fundNamesRequest, secFundNames } from '../../providers/sec/fund-names.js'
import type { RunDeps } from '../../run/run-feed.js'
import { type FeedsSummary, type NamedRun, runFeeds } from '../../run/run-feeds.js'
import { fundNamesSink, fundsSink } from './ingestion.js'

/** Reads the names of classes of funds, if they are a week old, and then the list that makes ETFs of classes with a name. */
export async function runFundLists(deps: RunDeps): Promise<FeedsSummary> {
  const funds = liveRun(secFunds.id, bindFeed(secFunds, fundsSink))
  const isDue = await areFundNamesDue(deps.database, deps.clock.now())
  return runFeeds(deps, isDue ? [await findNames(deps), funds] : [funds])
}

/** The list of this year, or that of the year before while the SEC has none of this year. */
async function findNames({ clock, fetchBody }: RunDeps): Promise<NamedRun> {
  const year = clock.now().getUTCFullYear()
  const request = fundNamesRequest(year)
  const run = { name: secFundNames.id, bound: bindFeed(secFundNames, fundNamesSink) }
  try {
    const bytes = await fetchBody(request)
    return { ...run, source: { kind: 'bytes', bytes, origin: redactUrl(request.url) } }
  } catch (error) {
    if (!(error instanceof IngestError) || error instanceof RetryLater) throw error
    const before = { ...secFundNames, request: () => fundNamesRequest(year - 1) }
    return { ...run, bound: bindFeed(before, fundNamesSink), source: { kind: 'live' } }
  }
}
