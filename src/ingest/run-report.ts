import { formatCount } from '../core/format-count.js'
import type { RunSummary } from './run/run-feed.js'
import type { FeedsSummary } from './run/run-feeds.js'
import { type JobCounts, jobCounts } from './schedule/job.js'

/** What a run tells an operator: the one who started it by a command, and the reader of its job. */
export interface RunReport<Summary = unknown> {
  /** The output of `--json`. */
  readonly summary: Summary
  readonly text: string
  /** Whether nothing could be loaded. The exit code of a command is then not 0, although nothing was damaged. */
  readonly isEmpty: boolean
  readonly counts: JobCounts
  /** What the run skipped, or null. */
  readonly note: string | null
  /** Whether a part failed, which the note names, while the rest succeeded. */
  readonly isPartial?: boolean
  /** Why a job that brings this counts as failed; absent if it does not. */
  readonly failure?: string
}

/** The number of failures that a note names; the ledger has all. */
const MAX_NAMED = 5

/** The report of a run of one body. */
export function reportOfRun(name: string, summary: RunSummary): RunReport<RunSummary> {
  const isEmpty = summary.rows === 0 && summary.rejected > 0
  return { summary, text: summaryText(name, summary), isEmpty, counts: jobCounts(summary), note: null }
}

/**
 * The report of runs of several bodies, which `what` describes. A body that could not be read is in the ledger with its
 * reason, and the others still count.
 */
export function reportOfRuns(name: string, what: string, summary: FeedsSummary): RunReport<FeedsSummary> {
  const { done, failed, notAsked, isOut } = summary
  const failures = failed.map(({ name, reason }) => `  failed ${name}: ${reason}\n`)
  const left =
    notAsked > 0
      ? `  ${notAsked} more were not requested, because the provider sends unreadable bodies\n`
      : ''
  const text = `${name}: ${done} ${what} read: ${countsText(summary)}\n${failures.join('')}${left}`
  return { summary, text, isEmpty: isOut, counts: jobCounts(summary), ...failuresOf(summary) }
}

function failuresOf({
  failed,
  notAsked,
  isOut,
}: FeedsSummary): Pick<RunReport, 'note' | 'isPartial' | 'failure'> {
  if (failed.length === 0) return { note: null }
  const named = failed.slice(0, MAX_NAMED).map(({ name, reason }) => `${name}: ${reason}`)
  const left = notAsked > 0 ? `; ${notAsked} more were not asked for` : ''
  const note = `${failed.length} failed: ${named.join('; ')}${left}`
  return {
    note,
    isPartial: true,
    ...(isOut ? { failure: `nothing could be read: ${named.join('; ')}` } : {}),
  }
}

function countsText({
  added,
  revised,
  unchanged,
  rejected,
  absent,
  alsoChanged,
}: Omit<FeedsSummary, 'done' | 'failed' | 'notAsked' | 'isOut'>): string {
  const counts = `${added} added, ${revised} revised, ${unchanged} unchanged, ${rejected} rejected, ${absent} absent`
  return alsoChanged > 0 ? `${counts}; ${formatCount(alsoChanged, 'other row')} changed` : counts
}

function summaryText(name: string, run: RunSummary): string {
  const seed = run.removedSeed > 0 ? `; ${formatCount(run.removedSeed, 'seed row')} removed` : ''
  const head = `${name}: ${formatCount(run.read, 'row')} read: ${countsText(run)}${seed} (${(run.durationMs / 1000).toFixed(1)} s)\n`
  const rejections = run.rejections.map(({ position, reason }) => `  rejected ${position}: ${reason}\n`)
  const unlisted = run.rejected - run.rejections.length
  return head + rejections.join('') + (unlisted > 0 ? `  and ${unlisted} more\n` : '')
}
