import { type BoundFeed, IngestError } from '../../ingest/feed.js'
import { type BodySource, downloadBodyWith, fetchBodyWith, usualSourceOf } from '../../ingest/read-body.js'
import { FEEDS } from '../../ingest/registry.js'
import { type RunProgress, type RunSummary, runFeed } from '../../ingest/run-feed.js'
import type { ProviderKeys } from '../../platform/http-client/provider-keys.js'
import { type Options, type Outcome, refuseCandleOptions, UsageError, type World } from './command.js'

const BAR_WIDTH = 30
const CLEAR_LINE = '\r\u001b[K'

/** The command that runs one feed. */
export function ingestFeed(bound: BoundFeed) {
  return async ({ http, call, providerKeys, ...world }: World, options: Options): Promise<Outcome> => {
    const source = sourceOf(bound, options)
    if (source.kind === 'live') refuseWithoutKey(bound, providerKeys)
    const deps = { ...world, fetchBody: fetchBodyWith(http), downloadBody: downloadBodyWith(http) }
    const summary = await runFeed(deps, bound, source, (progress) =>
      show(call, progressText(progress)),
    ).finally(() => show(call, CLEAR_LINE))
    return outcomeOf(bound.feed.id, summary)
  }
}

/** What a run of one body says of itself. */
export function outcomeOf(feedId: string, summary: RunSummary): Outcome {
  const isEmpty = summary.rows === 0 && summary.rejected > 0
  return { summary, text: summaryText(feedId, summary), isEmpty }
}

function filesHelp(names: readonly string[]): string {
  return names.length === 0 ? '' : `${' '.repeat(17)}files: ${names.join(', ')}\n`
}

/** The feeds as the help lists them. */
export function feedsHelp(): string {
  return FEEDS.map(
    ({ feed }) =>
      `  ${feed.id.padEnd(14)} ${feed.description}\n${' '.repeat(17)}${feed.provider.attribution}; ${feed.cadence}\n` +
      `${filesHelp(feed.fileNames)}`,
  ).join('')
}

function sourceOf({ feed }: BoundFeed, options: Options): BodySource {
  refuseCandleOptions(options)
  const [path, ...more] = options.files
  if (more.length > 0 && feed.takesSeveralFiles !== true)
    throw new UsageError(`${feed.id} has one file; got ${options.files.join(' ')}`)
  return path === undefined ? usualSourceOf(feed) : { kind: 'file', path, more }
}

function refuseWithoutKey({ feed }: BoundFeed, keys: ProviderKeys): void {
  const { id, keyVariable } = feed
  if (keyVariable === undefined || keys[keyVariable] !== undefined) return
  throw new IngestError(`${id} is off: set ${keyVariable}, or give it a file by --file`)
}

function summaryText(feedId: string, run: RunSummary): string {
  const seed = run.removedSeed > 0 ? `; ${run.removedSeed} seed rows removed` : ''
  const counts = `${run.added} added, ${run.revised} revised, ${run.unchanged} unchanged, ${run.rejected} rejected`
  const head = `${feedId}: ${run.rows} rows read: ${counts}${seed} (${(run.durationMs / 1000).toFixed(1)} s)\n`
  const rejections = run.rejections.map(({ position, reason }) => `  rejected ${position}: ${reason}\n`)
  const untold = run.rejected - run.rejections.length
  return head + rejections.join('') + (untold > 0 ? `  and ${untold} more\n` : '')
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
