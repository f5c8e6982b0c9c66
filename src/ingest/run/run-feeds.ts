import { type BoundFeed, IngestError, NotInFormat, RetryLater } from '../feed.js'
import { addCounts } from './add-counts.js'
import type { BodySource } from './feed-body.js'
import { type RunDeps, runFeed } from './run-feed.js'

/** One body of several, such as that of a company or a fund. */
export interface NamedRun {
  /**
   * The provider, if it supplies several of the bodies: after a body that is not in its format it gets no more requests.
   */
  readonly provider?: string
  /** The subject of the body, for the summary, e.g. NVDA. */
  readonly name: string
  readonly bound: BoundFeed
  readonly source: BodySource
}

export interface RunFeedsDeps extends RunDeps {
  readonly signal?: AbortSignal
}

export interface FeedsSummary {
  /** Bodies that were ingested. */
  readonly done: number
  /** What was read from these bodies, in the unit of `Parsed`: added + revised + unchanged + rejected + absent. */
  readonly read: number
  readonly added: number
  readonly revised: number
  readonly unchanged: number
  readonly rejected: number
  readonly absent: number
  readonly alsoChanged: number
  /** Bodies that could not be ingested, with the reason. */
  readonly failed: readonly { readonly name: string; readonly reason: string }[]
  /** Bodies that were not requested, because their provider sent a body that is not in its format. */
  readonly notAsked: number
  /** Whether bodies were expected and none could be read. */
  readonly isOut: boolean
}

/**
 * Runs feeds one after another, each as a separate run in the ledger. If a body cannot be ingested, the others still run,
 * but a provider whose body is not in its format (NotInFormat) gets no more requests. RetryLater and an error of the
 * database end the whole call. `run` runs one feed.
 */
export async function runFeeds(
  deps: RunFeedsDeps,
  runs: readonly NamedRun[],
  run = runFeed,
): Promise<FeedsSummary> {
  let total = { read: 0, added: 0, revised: 0, unchanged: 0, rejected: 0, absent: 0, alsoChanged: 0 }
  let done = 0
  const failed: { name: string; reason: string }[] = []
  const out = new Set<string>()
  let notAsked = 0
  for (const { name, bound, source, provider } of runs) {
    if (provider !== undefined && out.has(provider)) {
      notAsked += 1
      continue
    }
    deps.signal?.throwIfAborted()
    try {
      total = addCounts(total, await run(deps, bound, source))
      done += 1
    } catch (error) {
      if (!(error instanceof IngestError) || error instanceof RetryLater) throw error
      failed.push({ name, reason: error.message })
      if (error instanceof NotInFormat && provider !== undefined) out.add(provider)
    }
  }
  return { done, ...total, failed, notAsked, isOut: done === 0 && failed.length > 0 }
}

/** The summary of two calls together. */
export function addSummaries(a: FeedsSummary, b: FeedsSummary): FeedsSummary {
  const { failed, isOut: _isOut, ...counts } = a
  const added = addCounts(counts, b)
  const allFailed = [...failed, ...b.failed]
  return { ...added, failed: allFailed, isOut: added.done === 0 && allFailed.length > 0 }
}
