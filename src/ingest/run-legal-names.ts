import { setTimeout as sleep } from 'node:timers/promises'
import type { Lei } from '../core/identifiers.js'
import { readUnnamedLeis } from '../domains/screening/store.js'
import { redactUrl } from '../platform/http-client/http-client.js'
import { SEED_SOURCE } from './feed.js'
import { gleifRecords, recordsRequest } from './providers/gleif/lei-records.js'
import { findFeed } from './registry.js'
import type { IngestDeps } from './run.js'
import { type RunDeps, runFeed } from './run-feed.js'

/** LEIs of one request: their text stays below 2,500 characters of the URL. */
const LEIS_PER_REQUEST = 100

/** GLEIF allows 60 requests a minute; the rest is asked for by the next run. */
const MAX_REQUESTS = 20
const PAUSE_MS = 1_100

export interface LegalNamesDeps extends IngestDeps {
  readonly fetchBody: RunDeps['fetchBody']
  /** Between two requests; left out: as GLEIF asks for. */
  readonly pauseMs?: number
  readonly signal?: AbortSignal
}

export interface LegalNamesSummary {
  /** LEIs that were asked for. */
  readonly asked: number
  readonly added: number
  readonly revised: number
  readonly unchanged: number
  readonly rejected: number
}

/**
 * Asks GLEIF for the legal names of entities that lists know and that have none, a hundred at a time, each a run of the
 * feed `gleif` of its own. LEIs that GLEIF does not know either are asked for again the next time.
 */
export async function runLegalNames(deps: LegalNamesDeps): Promise<LegalNamesSummary> {
  const { database, pauseMs = PAUSE_MS, signal } = deps
  const leis = await readUnnamedLeis(database, SEED_SOURCE, LEIS_PER_REQUEST * MAX_REQUESTS)
  const total = { asked: leis.length, added: 0, revised: 0, unchanged: 0, rejected: 0 }
  for (let start = 0; start < leis.length; start += LEIS_PER_REQUEST) {
    if (start > 0) await sleep(pauseMs, undefined, signal === undefined ? {} : { signal })
    const counts = await ask(deps, leis.slice(start, start + LEIS_PER_REQUEST))
    total.added += counts.added
    total.revised += counts.revised
    total.unchanged += counts.unchanged
    total.rejected += counts.rejected
  }
  return total
}

async function ask(deps: LegalNamesDeps, leis: readonly Lei[]) {
  const request = recordsRequest(leis)
  const bytes = await deps.fetchBody(request)
  const origin = redactUrl(request.url).slice(0, 200)
  return runFeed(deps, findFeed(gleifRecords.id), { kind: 'bytes', bytes, origin })
}
