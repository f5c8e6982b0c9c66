import type { Lei } from '../../../core/identifiers.js'
import { loadUnnamedLeis } from '../../../domains/screening/store.js'
import { redactUrl } from '../../../platform/http-client/redact-url.js'
import { SEED_SOURCE } from '../../feed.js'
import type { FeedGroup, GroupDeps } from '../../feed-group.js'
import { gleifRecords, recordsRequest } from '../../providers/gleif/lei-records.js'
import { findFeed } from '../../registry.js'
import { addCounts } from '../../run/add-counts.js'
import { runFeed } from '../../run/run-feed.js'
import { type JobCounts, jobCounts } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'

/** LEIs of one request: they take less than 2,500 characters of the URL. */
const LEIS_PER_REQUEST = 100

/** The next run requests the rest. */
const MAX_REQUESTS = 20

export interface LegalNamesSummary extends JobCounts {
  /** Requested LEIs. */
  readonly requested: number
  /** Those of them that still have no name. */
  readonly unnamed: number
  /** Records of the answers: added + revised + unchanged + rejected + absent, which are equal to another one. */
  readonly read: number
}

const { id, dataset, cadence } = gleifRecords

/**
 * Requests the legal names of listed entities without a name from GLEIF, after the lists are read: a hundred at a time, each as a
 * separate run. The next run requests unknown LEIs again.
 */
export const legalNamesGroup: FeedGroup<LegalNamesSummary> = {
  name: id,
  job: { dataset, cadence, schedule: byCron('30 6 * * *', 600_000) },
  command: { options: ['file'] },
  run: async (deps) => {
    const summary = await requestNames(deps)
    const { requested, unnamed, added, revised, unchanged, rejected, absent } = summary
    const counts = `${added} added, ${revised} revised, ${unchanged} unchanged, ${rejected} rejected, ${absent} absent`
    const text = `gleif: requested the names of ${requested} LEIs: ${counts}; ${unnamed} still have no name\n`
    return { summary, text, isEmpty: false, counts: jobCounts(summary), note: null }
  },
}

async function requestNames(deps: GroupDeps): Promise<LegalNamesSummary> {
  const { database, signal } = deps
  const leis = await loadUnnamedLeis(database, SEED_SOURCE, LEIS_PER_REQUEST * MAX_REQUESTS)
  let total = { read: 0, added: 0, revised: 0, unchanged: 0, rejected: 0, absent: 0 }
  for (let start = 0; start < leis.length; start += LEIS_PER_REQUEST) {
    signal?.throwIfAborted()
    total = addCounts(total, await ask(deps, leis.slice(start, start + LEIS_PER_REQUEST)))
  }
  const unnamed = leis.length - total.added - total.revised - total.unchanged
  return { requested: leis.length, unnamed, ...total }
}

async function ask(deps: GroupDeps, leis: readonly Lei[]) {
  const request = recordsRequest(leis)
  const bytes = await deps.fetchBody(request)
  const origin = redactUrl(request.url).slice(0, 200)
  return runFeed(deps, findFeed(id), { kind: 'bytes', bytes, origin })
}
