import { type BoundFeed, IngestError } from '../../ingest/feed.js'
import { FEEDS } from '../../ingest/registry.js'
import { downloadBodyWith, fetchBodyWith } from '../../ingest/run/ask-for-body.js'
import { type BodySource, usualSourceOf } from '../../ingest/run/feed-body.js'
import { type RunProgress, type RunSummary, runFeed } from '../../ingest/run/run-feed.js'
import type { FeedsSummary } from '../../ingest/run/run-feeds.js'
import type { ProviderKeys } from '../../platform/http-client/provider-keys.js'
import { UsageError } from '../usage-error.js'
import { assertNoCandleOptions, type Options, type Outcome, type World } from './command.js'

const BAR_WIDTH = 30
const CLEAR_LINE = '\r\u001b[K'

/** Creates the command that runs one feed. */
export function ingestFeed(bound: BoundFeed) {
  return async ({ http, call, providerKeys, ...world }: World, options: Options): Promise<Outcome> => {
    const source = sourceOf(bound, options)
    if (source.kind === 'live') assertProviderKey(bound.feed, providerKeys)
    const deps = { ...world, fetchBody: fetchBodyWith(http), downloadBody: downloadBodyWith(http) }
    const summary = await runFeed(deps, bound, source, (progress) =>
      show(call, progressText(progress)),
    ).finally(() => show(call, CLEAR_LINE))
    return summarizeRun(bound.feed.id, summary)
  }
}

/** The outcome of a run of one body. */
export function summarizeRun(feedId: string, summary: RunSummary): Outcome {
  const isEmpty = summary.rows === 0 && summary.rejected > 0
  return { summary, text: summaryText(feedId, summary), isEmpty }
}

/** The outcome of runs of several bodies, which `what` describes. */
export function summarizeRuns(feedId: string, what: string, summary: FeedsSummary): Outcome {
  const { done, failed, notAsked, isOut } = summary
  const failures = failed.map(({ name, reason }) => `  failed ${name}: ${reason}\n`)
  const left =
    notAsked > 0
      ? `  ${notAsked} more were not requested, because the provider sends unreadable bodies\n`
      : ''
  const text = `${feedId}: ${done} ${what} read: ${countsText(summary)}\n${failures.join('')}${left}`
  return { summary, text, isEmpty: isOut }
}

/** The help text of a feed. */
export function helpEntry(name: string, what: string, lines: readonly string[]): string {
  const indent = ' '.repeat(17)
  return `  ${name.padEnd(14)} ${what}\n${lines.map((line) => `${indent}${line}\n`).join('')}`
}

/** The help text of all feeds. */
export function feedsHelp(): string {
  return FEEDS.map(({ feed: { id, description, provider, cadence, fileNames } }) => {
    const files = fileNames.length === 0 ? [] : [`files: ${fileNames.join(', ')}`]
    return helpEntry(id, description, [`${provider.attribution}; ${cadence}`, ...files])
  }).join('')
}

function sourceOf({ feed }: BoundFeed, options: Options): BodySource {
  const { isWhole } = options
  if (isWhole && feed.dataset !== 'screening' && feed.dataset !== 'instruments')
    throw new UsageError('--whole is only for sanctions lists and for lists of instruments')
  assertNoCandleOptions(options)
  const [path, ...more] = options.files
  if (more.length > 0 && feed.takesSeveralFiles !== true)
    throw new UsageError(`${feed.id} needs one file; got ${options.files.join(' ')}`)
  if (path !== undefined) return { kind: 'file', path, more, isSaidWhole: isWhole }
  const usual = usualSourceOf(feed)
  return usual.kind === 'live' ? { ...usual, isSaidWhole: isWhole } : usual
}

/** Throws IngestError for a live run of a feed whose key is not configured. */
export function assertProviderKey(
  { id, keyVariable }: Pick<BoundFeed['feed'], 'id' | 'keyVariable'>,
  keys: ProviderKeys,
): void {
  if (keyVariable === undefined || keys[keyVariable] !== undefined) return
  throw new IngestError(`${id} is off; set ${keyVariable}, or give a file by --file`)
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
  return alsoChanged > 0 ? `${counts}; ${alsoChanged} other rows changed` : counts
}

function summaryText(feedId: string, run: RunSummary): string {
  const seed = run.removedSeed > 0 ? `; ${run.removedSeed} seed rows removed` : ''
  const head = `${feedId}: ${run.read} rows read: ${countsText(run)}${seed} (${(run.durationMs / 1000).toFixed(1)} s)\n`
  const rejections = run.rejections.map(({ position, reason }) => `  rejected ${position}: ${reason}\n`)
  const unlisted = run.rejected - run.rejections.length
  return head + rejections.join('') + (unlisted > 0 ? `  and ${unlisted} more\n` : '')
}

function show({ err, isTerminal }: World['call'], text: string): void {
  if (isTerminal) err(text)
}

function progressText({ fraction, rows, rejected }: RunProgress): string {
  const filled = Math.round(fraction * BAR_WIDTH)
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`
  const share = String(Math.round(fraction * 100)).padStart(3)
  return `\r${bar} ${share} %  ${rows} rows${rejected > 0 ? `, ${rejected} rejected` : ''}`
}
