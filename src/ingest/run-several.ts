import { setTimeout as sleep } from 'node:timers/promises'
import { type BoundFeed, IngestError, RetryLater } from './feed.js'
import type { BodySource } from './read-body.js'
import { type RunDeps, runFeed } from './run-feed.js'

/** One body among several: of a company, a fund. */
export interface NamedRun {
  /** What it is about, for the summary, e.g. NVDA. */
  readonly name: string
  readonly bound: BoundFeed
  readonly source: BodySource
}

export interface SeveralOptions {
  /** Least time between two requests, milliseconds. */
  readonly pauseMs: number
  readonly signal?: AbortSignal
  /** Runs one; `runFeed` when left out. */
  readonly run?: typeof runFeed
}

export interface SeveralSummary {
  /** Bodies that were ingested. */
  readonly done: number
  readonly added: number
  readonly revised: number
  readonly unchanged: number
  readonly rejected: number
  /** Bodies that could not be ingested, and why. */
  readonly failed: readonly { readonly name: string; readonly reason: string }[]
  /** There were bodies to read, and none of them could be. */
  readonly isOut: boolean
}

/**
 * Runs feeds one after the other, each a run of its own in the ledger. A body that cannot be ingested does not hinder the
 * others; a provider that says when to ask again (RetryLater) ends it, as does the database's error.
 */
export async function runSeveral(
  deps: RunDeps,
  runs: readonly NamedRun[],
  { pauseMs, signal, run = runFeed }: SeveralOptions,
): Promise<SeveralSummary> {
  const total = { done: 0, added: 0, revised: 0, unchanged: 0, rejected: 0 }
  const failed: { name: string; reason: string }[] = []
  for (const [at, { name, bound, source }] of runs.entries()) {
    if (at > 0) await sleep(pauseMs, undefined, signal === undefined ? {} : { signal })
    try {
      const counts = await run(deps, bound, source)
      total.done += 1
      total.added += counts.added
      total.revised += counts.revised
      total.unchanged += counts.unchanged
      total.rejected += counts.rejected
    } catch (error) {
      if (!(error instanceof IngestError) || error instanceof RetryLater) throw error
      failed.push({ name, reason: error.message })
    }
  }
  return { ...total, failed, isOut: total.done === 0 && failed.length > 0 }
}
